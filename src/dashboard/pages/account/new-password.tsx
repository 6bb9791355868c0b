import { Button } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { askAuth } from '../../data/api'
import { Alone } from '../../ui/alone'
import { Note, Trouble } from '../../ui/parts'
import { NewPasswordField } from '../../ui/password-fields'

export default function NewPassword() {
  const [parameters] = useSearchParams()
  const [isDone, setDone] = useState(false)
  const [error, setError] = useState<unknown>(null)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const newPassword = new FormData(event.currentTarget).get('password')
    setError(null)
    await askAuth('reset-password', { newPassword, token: parameters.get('token') }).then(() => setDone(true), setError)
  }
  return (
    <Alone title="Your new password" foot={<Link href="/">Back to sign-in</Link>}>
      {isDone ? (
        <Note tone="ok" role="status">
          Your password has been changed, and all sessions with the old one have ended. Sign in with the new password.
        </Note>
      ) : (
        <form onSubmit={submit} className="stack">
          <Trouble error={error} />
          <NewPasswordField name="password" label="New password" description="At least 10 characters." />
          <Button type="submit">Change password</Button>
        </form>
      )}
    </Alone>
  )
}
