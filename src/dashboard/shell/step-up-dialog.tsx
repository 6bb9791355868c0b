import { TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { askAuth } from '../data/api'
import { onStepUp } from '../data/step-up'
import { FormDialog } from '../ui/form-dialog'

type Settle = { settle: (isProved: boolean) => void }

/** Asks for a code when the server wants the second step proved again, and lets the request go on. */
export function StepUpDialog() {
  const [waiting, setWaiting] = useState<Settle | null>(null)
  useEffect(
    () =>
      onStepUp(
        () =>
          new Promise((resolve) => {
            setWaiting({ settle: resolve })
          }),
      ),
    [],
  )
  const end = (isProved: boolean) => {
    waiting?.settle(isProved)
    setWaiting(null)
    prove.reset()
  }
  const prove = useMutation({
    mutationFn: (code: string) => {
      const isBackup = !/^\d{6}$/.test(code)
      return askAuth(isBackup ? 'two-factor/verify-backup-code' : 'two-factor/verify-totp', { code })
    },
    onSuccess: () => end(true),
  })
  if (!waiting) return null
  return (
    <FormDialog
      title="Second step"
      action="Go on"
      onSubmit={(event) => prove.mutate(String(new FormData(event.currentTarget).get('code')).replace(/\s/g, ''))}
      onClose={() => end(false)}
      isPending={prove.isPending}
      error={prove.error}
    >
      <TextInput
        name="code"
        label="Code"
        description="What you are about to do needs a code of your authenticator, or a backup code, from the last 15 minutes."
        autoComplete="one-time-code"
        required
        withAsterisk={false}
        data-autofocus
      />
    </FormDialog>
  )
}
