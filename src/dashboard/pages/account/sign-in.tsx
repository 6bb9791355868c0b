import { Button, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import type { RegistrationView } from '../../../http/dashboard/organizations'
import { ApiError, ask, askAuth } from '../../data/api'
import { ifLoaded } from '../../data/read'
import { Alone } from '../../ui/alone'
import { Note, Trouble } from '../../ui/parts'
import { NewPasswordField, PasswordField } from '../../ui/password-fields'
import { emailWords, nameWords, useFieldError } from '../../ui/use-field-error'
import { SecondStep } from './second-step'

type Step = 'sign in' | 'sign up' | 'second step' | 'verify'
type SignedIn = { twoFactorRedirect?: boolean }

type Props = { email?: string; invitation?: string; lead?: string }

export default function SignIn({ email: initialEmail, invitation, lead }: Props) {
  const client = useQueryClient()
  const [step, setStep] = useState<Step>('sign in')
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const isNew = step === 'sign up'
  const registration = useQuery({
    queryKey: ['registration'],
    queryFn: () => ask<RegistrationView>('/registration'),
    enabled: isNew && invitation === undefined,
  })
  const isClosed = isNew && invitation === undefined && ifLoaded(registration, ({ isOpen }) => isOpen) === false

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const { name, email, password } = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
    setBusy(true)
    setError(null)
    try {
      if (isNew) await askAuth('sign-up/email', { name, email, password, invitation })
      const answer = await askAuth<SignedIn>('sign-in/email', { email, password })
      if (answer.twoFactorRedirect) return setStep('second step')
      await client.invalidateQueries({ queryKey: ['me'] })
    } catch (failed) {
      if (failed instanceof ApiError && failed.code === 'EMAIL_NOT_VERIFIED') return setStep('verify')
      const isTaken = isNew && failed instanceof ApiError && failed.statusCode === 401
      setError(
        isTaken ? new Error('This did not work. If you have an account, sign in or set a new password.') : failed,
      )
    } finally {
      setBusy(false)
    }
  }

  if (step === 'second step') return <SecondStep />
  if (step === 'verify') return <ConfirmAddress onBack={() => setStep('sign in')} />
  const other = isNew ? 'sign in' : 'sign up'
  const change = () => {
    setStep(other)
    setError(null)
  }
  return (
    <Alone
      title={isNew ? 'Create your account' : 'Sign in'}
      lead={lead ?? (isNew ? 'Then create an organization or join one.' : 'See where every deposit is.')}
      foot={
        <>
          {isNew ? 'Already have an account? ' : 'New here? '}
          <button type="button" className="linkbutton" onClick={change}>
            {isNew ? 'Sign in' : 'Create an account'}
          </button>
        </>
      }
    >
      <SignInForm
        isNew={isNew}
        email={initialEmail}
        isClosed={isClosed}
        isBusy={isBusy}
        error={error}
        onSubmit={submit}
      />
    </Alone>
  )
}

const ConfirmAddress = ({ onBack }: { onBack: () => void }) => (
  <Alone title="Confirm your address">
    <Note tone="info">We have sent you an e-mail with a link. Open it, then sign in here.</Note>
    <Button onClick={onBack}>Back to sign-in</Button>
  </Alone>
)

type FormProps = {
  /** Whether the form creates an account. */
  isNew: boolean
  email: string | undefined
  isClosed: boolean
  isBusy: boolean
  error: unknown
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
}
function SignInForm({ isNew, email, isClosed, isBusy, error, onSubmit }: FormProps) {
  const nameError = useFieldError(nameWords)
  const emailError = useFieldError(emailWords)
  const passwordError = useFieldError(() => 'Enter your password.')
  return (
    <form onSubmit={onSubmit} className="stack">
      {isClosed && (
        <Note tone="info">
          Accounts here are by invitation. Open the link in your invitation. Without one, ask an owner of your
          organization or the operator of this Switchyard.
        </Note>
      )}
      <Trouble error={error} />
      {isNew && <TextInput name="name" label="Name" autoComplete="name" maxLength={64} required {...nameError} />}
      <TextInput
        name="email"
        type="email"
        label="E-mail"
        autoComplete="username"
        defaultValue={email}
        required
        data-autofocus
        {...emailError}
      />
      {isNew ? (
        <NewPasswordField
          name="password"
          label="Password"
          description="At least 10 characters; a sentence is easy to remember."
        />
      ) : (
        <PasswordField maxLength={128} {...passwordError} />
      )}
      <Button type="submit" loading={isBusy} disabled={isClosed} fullWidth>
        {isNew ? 'Create account' : 'Sign in'}
      </Button>
      {!isNew && (
        <div className="row">
          <Link href="/forgotten" className="small">
            Forgotten your password?
          </Link>
          <Link href="/sso" className="small">
            Single sign-on
          </Link>
        </div>
      )}
    </form>
  )
}
