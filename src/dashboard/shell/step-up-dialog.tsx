import { TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { askAuth } from '../data/api'
import { useMe } from '../data/session'
import { goToProvider } from '../data/sso'
import { FormDialog } from '../ui/form-dialog'

type Props = { onEnd: (isProved: boolean) => void }

/** Asks for the second step: for a code, or for the provider where it signed the person in. */
export default function StepUpDialog({ onEnd }: Props) {
  return useMe().data?.via ? <ProviderAgain onEnd={onEnd} /> : <Code onEnd={onEnd} />
}

function ProviderAgain({ onEnd }: Props) {
  const go = useMutation({ mutationFn: () => goToProvider({ again: true }) })
  return (
    <FormDialog
      title="Sign in again"
      action="Go to the provider"
      onSubmit={() => go.mutate()}
      onClose={() => onEnd(false)}
      isPending={go.isPending}
      error={go.error}
    >
      <p>
        What you are about to do needs a sign-in of the last 15 minutes. Afterwards you come back to the first page;
        begin it again from there.
      </p>
    </FormDialog>
  )
}

function Code({ onEnd }: Props) {
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
      action="Continue"
      onSubmit={(event) => prove.mutate(String(new FormData(event.currentTarget).get('code')).replace(/\s/g, ''))}
      onClose={() => onEnd(false)}
      isPending={prove.isPending}
      error={prove.error}
    >
      <TextInput
        name="code"
        label="Code"
        description="What you are about to do needs your second step of the last 15 minutes. Type a code of your authenticator, or a backup code."
        autoComplete="one-time-code"
        required
        withAsterisk={false}
        data-autofocus
      />
    </FormDialog>
  )
}
