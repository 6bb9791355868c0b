import { Button, Checkbox, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { askAuth } from '../../data/api'
import { useHere } from '../../data/session'
import { Copy } from '../../ui/copy'
import { Card, Trouble } from '../../ui/parts'
import { PasswordField } from '../../ui/password-fields'
import { Qr } from '../../ui/qr'
import { showToast } from '../../ui/toast'
import { BackupCodes, Codes } from './backup-codes'

type Enabled = { totpURI: string; backupCodes: string[] }

/** Turns the second step on and off: a code from an authenticator app at every sign-in. */
export function SecondStepCard() {
  const { me } = useHere()
  const client = useQueryClient()
  const isOn = me.person.hasSecondStep
  const [made, setMade] = useState<Enabled | null>(null)
  const change = useMutation({
    mutationFn: (password: string) => askAuth<Enabled>(isOn ? 'two-factor/disable' : 'two-factor/enable', { password }),
    onSuccess: (answer) => {
      if (!isOn) return setMade(answer)
      showToast('The second step is off. Signing in requires only your password.')
      void client.invalidateQueries({ queryKey: ['me'] })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    change.mutate(String(new FormData(form).get('password')), { onSuccess: () => form.reset() })
  }
  return (
    <Card title="Second step" side={<span className={`pill t-${isOn ? 'ok' : 'mute'}`}>{isOn ? 'On' : 'Off'}</span>}>
      {made ? (
        <Confirm made={made} onDone={() => setMade(null)} />
      ) : (
        <div className="stack">
          <p className="small">
            {isOn
              ? 'Signing in requires a code from your authenticator app.'
              : 'With a second step, a stolen password is not enough to sign in. It requires an authenticator app.'}
          </p>
          {isOn && <BackupCodes />}
          <form onSubmit={submit} className="stack">
            <PasswordField />
            <Trouble error={change.error} />
            <div className="row">
              <Button type="submit" variant="default" loading={change.isPending}>
                {isOn ? 'Turn off' : 'Turn on'}
              </Button>
            </div>
          </form>
        </div>
      )}
    </Card>
  )
}

function Confirm({ made, onDone }: { made: Enabled; onDone: () => void }) {
  const client = useQueryClient()
  const secret = new URL(made.totpURI).searchParams.get('secret') ?? ''
  const confirm = useMutation({
    mutationFn: (code: string) => askAuth('two-factor/verify-totp', { code }),
    onSuccess: async () => {
      showToast('The second step is on. Your next sign-in requires a code.')
      await client.invalidateQueries({ queryKey: ['me'] })
      onDone()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    confirm.mutate(String(new FormData(event.currentTarget).get('code')).trim())
  }
  return (
    <form onSubmit={submit} className="stack">
      <p className="small">
        Scan this with your authenticator app, save the backup codes, then enter the code the app shows.
      </p>
      <div className="split">
        <Qr text={made.totpURI} label="QR code for the authenticator" />
        <div className="fills stack tight">
          <span className="sub small">Or enter this secret</span>
          <div className="row keep id-cell">
            <span className="mono wrap" data-totp>
              {secret}
            </span>
            <Copy value={secret} what="secret" />
          </div>
        </div>
      </div>
      <Codes codes={made.backupCodes} />
      <Checkbox label="I have stored these codes" required />
      <TextInput name="code" label="Code" inputMode="numeric" autoComplete="one-time-code" required />
      <Trouble error={confirm.error} />
      <div className="row">
        <Button type="submit" loading={confirm.isPending}>
          Turn on
        </Button>
      </div>
    </form>
  )
}
