import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Link } from 'wouter'
import { goToProvider } from '../../data/sso'
import { Alone } from '../../ui/alone'
import { Note, Trouble } from '../../ui/parts'

/** What went wrong on the way back from the provider, by the word in the address of this page. */
const troubles: Record<string, string> = {
  expired: 'This sign-in took too long, was used before, or began in another browser. Begin again here.',
  failed: 'The provider did not confirm this sign-in. Begin again; if it happens every time, tell an owner.',
  password:
    'There is an account with this address that has a password. Sign in with it first, with the second step if you ' +
    'have one, and then begin again here: from then on the provider is enough. Who does not know it sets a new one.',
  refused:
    'The provider signed you in, but you are not let in here. Your organization’s audit log says why: ask an owner.',
}

/** Sign-in by the provider of an organization: the address says which one. */
export default function SsoSignIn() {
  const go = useMutation({ mutationFn: (email: string) => goToProvider({ email }) })
  const trouble = troubles[new URLSearchParams(window.location.search).get('trouble') ?? '']
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    go.mutate(String(new FormData(event.currentTarget).get('email')))
  }
  return (
    <Alone
      title="Single sign-on"
      lead="Your organization’s own provider signs you in."
      foot={<Link href="/">Sign in with a password</Link>}
    >
      <form onSubmit={submit} className="stack">
        {trouble && !go.error && (
          <Note tone="bad" role="alert">
            {trouble}
          </Note>
        )}
        <Trouble error={go.error} />
        <TextInput
          name="email"
          type="email"
          label="E-mail at work"
          autoComplete="username"
          required
          withAsterisk={false}
          data-autofocus
        />
        <Button type="submit" loading={go.isPending} fullWidth>
          Go on
        </Button>
      </form>
    </Alone>
  )
}
