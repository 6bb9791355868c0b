import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { askAuth } from '../../data/api'
import { useHere } from '../../data/session'
import { Card, Note, Page, Trouble } from '../../ui/parts'
import { NewPasswordField, PasswordField } from '../../ui/password-fields'
import { say } from '../../ui/toast'
import { DeleteAccount } from './delete-account'
import { KeyboardCard } from './keyboard-card'
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
      say('Your name has been changed.')
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
        <TextInput
          name="name"
          label="Name"
          defaultValue={me.person.name}
          autoComplete="name"
          maxLength={64}
          required
          withAsterisk={false}
        />
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
      say('Your password has been changed. Your other sessions have ended.')
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
