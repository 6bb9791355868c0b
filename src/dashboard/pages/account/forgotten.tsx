import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { askAuth } from '../../data/api'
import { Alone } from '../../ui/alone'
import { Note, Trouble } from '../../ui/parts'

export default function Forgotten() {
  const [isSent, setSent] = useState(false)
  const [error, setError] = useState<unknown>(null)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const email = new FormData(event.currentTarget).get('email')
    setError(null)
    await askAuth('request-password-reset', { email }).then(() => setSent(true), setError)
  }
  return (
    <Alone title="Set a new password" foot={<Link href="/">Back to sign-in</Link>}>
      {isSent ? (
        <Note tone="ok" role="status">
          If there is an account with this address, a link is on its way to it. It works once, for one hour. If
          Switchyard serves this machine alone and has no mail server, the link is in the service’s log.
        </Note>
      ) : (
        <form onSubmit={submit} className="stack">
          <Trouble error={error} />
          <TextInput name="email" type="email" label="E-mail" autoComplete="username" required />
          <Button type="submit">Send me a link</Button>
        </form>
      )}
    </Alone>
  )
}
