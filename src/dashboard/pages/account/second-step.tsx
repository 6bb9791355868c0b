import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { askAuth } from '../../data/api'
import { Alone } from '../../ui/alone'
import { Trouble } from '../../ui/parts'

/** Asks for an authenticator code, or for a backup code. */
export function SecondStep() {
  const client = useQueryClient()
  const [isBackup, setBackup] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code')).replace(/\s/g, '')
    setBusy(true)
    setError(null)
    try {
      await askAuth(isBackup ? 'two-factor/verify-backup-code' : 'two-factor/verify-totp', { code })
      await client.invalidateQueries({ queryKey: ['me'] })
    } catch (failed) {
      setError(failed)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Alone
      title="Second step"
      lead={
        isBackup
          ? 'Enter one of your backup codes. Each works once.'
          : 'Enter the six digits from your authenticator app.'
      }
      foot={
        <button type="button" className="linkbutton" onClick={() => setBackup(!isBackup)}>
          {isBackup ? 'Use the authenticator app' : 'Use a backup code'}
        </button>
      }
    >
      <form onSubmit={submit} className="stack">
        <Trouble error={error} />
        <TextInput
          key={String(isBackup)}
          name="code"
          label={isBackup ? 'Backup code' : 'Code'}
          inputMode={isBackup ? 'text' : 'numeric'}
          autoComplete="one-time-code"
          required
        />
        <Button type="submit" loading={isBusy}>
          Continue
        </Button>
      </form>
    </Alone>
  )
}
