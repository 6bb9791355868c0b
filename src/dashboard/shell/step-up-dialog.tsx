import { TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { askAuth } from '../data/api'
import { useMe } from '../data/session'
import type { StepUpKind } from '../data/step-up'
import type { Me } from '../data/types'
import { FormDialog } from '../ui/form-dialog'
import { PasswordField } from '../ui/password-fields'
import { ProviderAgain } from './provider-again'

type Props = { onEnd: (isProved: boolean) => void }

/** Asks for the proof that the person has: the provider, a second-step code, or the password. */
export default function StepUpDialog({ needed, onEnd }: Props & { needed: StepUpKind }) {
  const [me] = useState(useMe().data)
  const [isCode, setCode] = useState(needed === 'SECOND_STEP_NEEDED')
  if (!me) return null
  if (me.via) return <ProviderAgain me={me} onEnd={onEnd} />
  return isCode ? <Code onEnd={onEnd} /> : <Password me={me} onEnd={onEnd} onSecondStep={() => setCode(true)} />
}

/** Notifies the session's pages of a new sign-in. */
function useNewSession() {
  const client = useQueryClient()
  return () => {
    for (const key of ['me', 'sessions', 'backup codes']) void client.invalidateQueries({ queryKey: [key] })
  }
}

function Password({ me, onEnd, onSecondStep }: Props & { me: Me; onSecondStep: () => void }) {
  const { email } = me.person
  const renew = useNewSession()
  const prove = useMutation({
    mutationFn: (password: string) => askAuth<{ twoFactorRedirect?: boolean }>('sign-in/email', { email, password }),
    onSuccess: ({ twoFactorRedirect }) => {
      // A second step was turned on elsewhere after the request was refused.
      if (twoFactorRedirect) return onSecondStep()
      renew()
      onEnd(true)
    },
  })
  return (
    <FormDialog
      title="Sign in again"
      action="Continue"
      onSubmit={(event) => prove.mutate(String(new FormData(event.currentTarget).get('password')))}
      onClose={() => onEnd(false)}
      isPending={prove.isPending}
      error={prove.error}
    >
      <p>This action needs a sign-in within the last 15 minutes. It continues afterwards.</p>
      <TextInput name="username" label="E-mail" type="email" autoComplete="username" value={email} readOnly />
      <PasswordField data-autofocus />
      <a href="/app/forgotten" target="_blank" className="small" rel="noopener">
        Forgotten your password?
      </a>
    </FormDialog>
  )
}

function Code({ onEnd }: Props) {
  const renew = useNewSession()
  const prove = useMutation({
    mutationFn: (code: string) => {
      const isBackup = !/^\d{6}$/.test(code)
      return askAuth(isBackup ? 'two-factor/verify-backup-code' : 'two-factor/verify-totp', { code })
    },
    onSuccess: () => {
      renew()
      onEnd(true)
    },
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
        description="This action needs your second step within the last 15 minutes. Enter a code from your authenticator app, or a backup code."
        autoComplete="one-time-code"
        required
        data-autofocus
      />
    </FormDialog>
  )
}
