import { TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { askAuth } from '../data/api'
import { FormDialog } from '../ui/form-dialog'

/** Asks for a code of the second step. */
export default function StepUpDialog({ onEnd }: { onEnd: (isProved: boolean) => void }) {
  const prove = useMutation({
    mutationFn: (code: string) => {
      const isBackup = !/^\d{6}$/.test(code)
      return askAuth(isBackup ? 'two-factor/verify-backup-code' : 'two-factor/verify-totp', { code })
    },
    onSuccess: () => onEnd(true),
  })
  return (
    <FormDialog
      title="Second step"
      action="Go on"
      onSubmit={(event) => prove.mutate(String(new FormData(event.currentTarget).get('code')).replace(/\s/g, ''))}
      onClose={() => onEnd(false)}
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
