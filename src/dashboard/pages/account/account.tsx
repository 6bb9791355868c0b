import { Button, Switch, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { askAuth } from '../../data/api'
import { useHere } from '../../data/session'
import { areKeysOn, turnKeys } from '../../shell/shortcuts'
import { ConfirmedDeletion } from '../../ui/confirmed-deletion'
import { Card, Note, Page, Trouble } from '../../ui/parts'
import { NewPasswordField, PasswordField } from '../../ui/password-fields'
import { showExactTimes, useExactTimes } from '../../ui/time'
import { showToast } from '../../ui/toast'
import { SecondStepCard } from './second-step-card'
import { Sessions } from './sessions'

/** The person's own account, the same in every organization. */
export default function Account() {
  const { me, organization } = useHere()
  if (me.via !== null)
    return (
      <Page title="Your account" lead={me.person.email}>
        <Note tone="info">
          You signed in through {organization.name}’s provider, so this session covers that organization only. To change
          keys, members or recipients, you sign in there again after 15 minutes.
        </Note>
        <p>
          To change your name, password, second step or sessions, sign in with a password. Nothing else needs one. If
          you want a password, <a href="/app/forgotten">set one</a>.
        </p>
        <KeyboardCard />
      </Page>
    )
  return (
    <Page title="Your account" lead={me.person.email}>
      <div className="grid2">
        <div className="stack">
          <Name />
          <Password />
          <KeyboardCard />
        </div>
        <div className="stack">
          <SecondStepCard />
          <Sessions />
          <DeleteAccount />
        </div>
      </div>
    </Page>
  )
}

function Name() {
  const { me } = useHere()
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (name: string) => askAuth('update-user', { name }),
    onSuccess: () => {
      showToast('Your name has been changed.')
      void client.invalidateQueries({ queryKey: ['me'] })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    change.mutate(String(new FormData(event.currentTarget).get('name')))
  }
  return (
    <Card title="Profile">
      <form onSubmit={submit} className="stack">
        <TextInput name="name" label="Name" defaultValue={me.person.name} autoComplete="name" maxLength={64} required />
        <Trouble error={change.error} />
        <div className="row">
          <Button type="submit" variant="default" loading={change.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  )
}

function Password() {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (body: object) => askAuth('change-password', { ...body, revokeOtherSessions: true }),
    onSuccess: () => {
      showToast('Your password has been changed. Your other sessions have ended.')
      void client.invalidateQueries({ queryKey: ['sessions'] })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    change.mutate(Object.fromEntries(new FormData(form)), { onSuccess: () => form.reset() })
  }
  return (
    <Card title="Password">
      <form onSubmit={submit} className="stack">
        <PasswordField name="currentPassword" label="Current password" />
        <NewPasswordField name="newPassword" label="New password" description="At least 10 characters." />
        <Trouble error={change.error} />
        <div className="row">
          <Button type="submit" variant="default" loading={change.isPending}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  )
}

/** Turns single-key shortcuts off, and exact times on. */
export function KeyboardCard() {
  const [isOn, setOn] = useState(areKeysOn)
  const isExact = useExactTimes()
  return (
    <Card title="Keyboard and times">
      <div className="stack">
        <Switch
          label="Single-key shortcuts"
          description="g and a letter, j, k, t, / and ? act while no field has the focus. Turn them off if you dictate. Ctrl K always works. This applies to this browser."
          checked={isOn}
          onChange={(event) => {
            turnKeys(event.currentTarget.checked)
            setOn(event.currentTarget.checked)
          }}
        />
        <Switch
          label="Exact times"
          description="Shows dates and times in full instead of “3 min ago”. The key t and a tap on a time do the same."
          checked={isExact}
          onChange={(event) => showExactTimes(event.currentTarget.checked)}
        />
      </div>
    </Card>
  )
}

export function DeleteAccount() {
  const { me } = useHere()
  const [isAsking, setAsking] = useState(false)
  return (
    <Card title="Delete your account">
      <div className="stack">
        <p className="small">
          You leave every organization, and your name and address are removed. Your actions stay in the audit logs under
          a pseudonym. If you are the only owner of an organization, first make another member an owner, or delete the
          organization.
        </p>
        <div className="row">
          <Button variant="default" onClick={() => setAsking(true)} aria-label="Delete your account">
            Delete…
          </Button>
        </div>
      </div>
      {isAsking && (
        <ConfirmedDeletion
          title="Delete your account"
          path="/account/delete"
          word={me.person.email}
          label="Your e-mail address"
          onClose={() => setAsking(false)}
        >
          <p className="small">All your sessions end. Keys that you created keep working for their organizations.</p>
        </ConfirmedDeletion>
      )}
    </Card>
  )
}
