import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect } from 'react'
import { Link } from 'wouter'
import { announceSignIn, goToProvider } from '../../data/sso'
import { Alone } from '../../ui/alone'
import { Note, Trouble } from '../../ui/parts'

/** Errors on the way back from the provider, by the word in this page's URL. */
const troubles: Record<string, string> = {
  expired: 'This sign-in took too long, was already used, or began in another browser. Start again here.',
  failed: 'The provider did not confirm this sign-in. Start again. If it keeps failing, tell an owner.',
  cancelled: 'You were not signed in: the sign-in was cancelled or refused at the provider. You can start again here.',
  unavailable: 'The provider or this service did not respond, so you were not signed in. Try again in a minute.',
  password:
    'An account with this address already has a password. Sign in with it first, and with your second step if you ' +
    'have one. Within 15 minutes, start again here: after that, the provider is enough. If you do not know the password, set a new one.',
  domain:
    'The provider signed you in with an e-mail address at a domain that your organization has not proved. If you have ' +
    'another account there, start again: the provider will ask who you are. Otherwise ask an owner.',
  address:
    'The provider signed you in but sent no verified e-mail address. Ask an owner: your organization’s audit log ' +
    'shows what is missing.',
  unstated:
    'The provider signed you in but does not state whether it verified your e-mail address. An owner can accept that: ' +
    'the setting is on the members page, under Single sign-on.',
  group:
    'The provider signed you in but did not name a group that your organization requires. Ask an owner: the audit log ' +
    'shows what is missing.',
  full: 'The provider signed you in, but your organization has reached its limit of members. Ask an owner.',
  refused:
    'The provider signed you in, but you have no access here. Ask an owner: your organization’s audit log shows why.',
}
/** After these, another account at the provider might have access, so the provider must ask which one to use. */
const mayBeAnother = ['cancelled', 'domain', 'address', 'unstated', 'group', 'refused']

export default function SsoPage() {
  const query = new URLSearchParams(window.location.search)
  return query.has('done') ? <BackBeside /> : <SsoSignIn word={query.get('trouble') ?? ''} />
}

/** Shown in the second window after a repeated sign-in. The original page continues. */
function BackBeside() {
  useEffect(() => {
    announceSignIn()
    window.close()
  }, [])
  return (
    <Alone title="You are signed in again" foot={<Link href="/">Continue here instead</Link>}>
      <Note tone="ok" role="status">
        Close this window. Your action continues in the window where you started it.
      </Note>
    </Alone>
  )
}

/** Sign-in through an organization's provider, which the e-mail address selects. */
function SsoSignIn({ word }: { word: string }) {
  const trouble = troubles[word]
  const asAnother = mayBeAnother.includes(word)
  const go = useMutation({ mutationFn: (email: string) => goToProvider({ email, asAnother }) })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    go.mutate(String(new FormData(event.currentTarget).get('email')))
  }
  return (
    <Alone
      title="Single sign-on"
      lead="Sign in through your organization’s own provider."
      foot={<Link href="/">Sign in with a password</Link>}
    >
      <form onSubmit={submit} className="stack">
        {trouble && !go.error && (
          <Note tone="bad" role="alert">
            {trouble}
          </Note>
        )}
        <Trouble error={go.error} />
        <TextInput name="email" type="email" label="Work e-mail" autoComplete="username" required data-autofocus />
        <Button type="submit" loading={go.isPending} fullWidth>
          Continue
        </Button>
      </form>
    </Alone>
  )
}
