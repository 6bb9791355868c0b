import { Button, Select, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { InvitationView, NewInvitationView } from '../../../http/dashboard/invitations'
import { ask, queryOf } from '../../data/api'
import { useHere } from '../../data/session'
import { Copy } from '../../ui/copy'
import { Loaded } from '../../ui/loaded'
import { Bones, Card, Note, Trouble } from '../../ui/parts'
import { Table } from '../../ui/table'
import { Ago } from '../../ui/time'
import { roleName, roleOptions } from './roles'

type NewInvitation = { email: string; role: string }

/** Invites people by e-mail. Without a mail server the link is shown once, for the inviter to pass on. */
export function Invitations() {
  const { organization } = useHere()
  const client = useQueryClient()
  const queryKey = ['invitations', organization.id]
  const list = useQuery({ queryKey, queryFn: () => ask<InvitationView[]>('/invitations') })
  const [made, setMade] = useState<NewInvitationView | null>(null)
  const renew = () => void client.invalidateQueries({ queryKey })
  const invite = useMutation({
    mutationFn: (body: NewInvitation) => ask<NewInvitationView>('/invitations', { body }),
    onSuccess: setMade,
    onSettled: renew,
  })
  const again = useMutation({
    mutationFn: ({ id, version }: InvitationView) =>
      ask<NewInvitationView>(`/invitations/${id}/resend`, { body: { version } }),
    onSuccess: setMade,
    onSettled: renew,
  })
  const withdraw = useMutation({
    mutationFn: ({ id, version }: InvitationView) =>
      ask(`/invitations/${id}${queryOf({ version })}`, { method: 'DELETE' }),
    onSettled: renew,
  })
  return (
    <Card title="Invite a member">
      <div className="stack">
        <InviteForm
          isPending={invite.isPending}
          onInvite={(invitation, onSuccess) => invite.mutate(invitation, { onSuccess })}
        />
        <Trouble error={invite.error ?? again.error ?? withdraw.error} />
        {made && <Invited row={made} />}
        <Loaded of={list} bones={<Bones rows={1} />}>
          {(rows) =>
            rows.length > 0 && (
              <Table
                label="Invitations"
                kind="folds"
                heads={['E-mail', 'Role', 'Invited by', 'Expires', { hidden: 'Actions' }]}
              >
                {rows.map((row) => (
                  <InvitationRow
                    key={row.id}
                    row={row}
                    onResend={() => again.mutate(row)}
                    onWithdraw={() => withdraw.mutate(row)}
                  />
                ))}
              </Table>
            )
          }
        </Loaded>
      </div>
    </Card>
  )
}

type FormProps = { isPending: boolean; onInvite: (invitation: NewInvitation, onSuccess: () => void) => void }
function InviteForm({ isPending, onInvite }: FormProps) {
  const { organization } = useHere()
  const [role, setRole] = useState('member')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    onInvite({ email: String(new FormData(form).get('email')), role }, () => form.reset())
  }
  return (
    <form onSubmit={submit} className="row" style={{ alignItems: 'flex-end' }}>
      <TextInput name="email" type="email" label="E-mail" placeholder="ada@example.com" required w={280} />
      <Select
        label="Role"
        data={organization.role === 'owner' ? roleOptions : roleOptions.slice(1)}
        value={role}
        onChange={(value) => setRole(value ?? 'member')}
        w={230}
      />
      <Button type="submit" loading={isPending}>
        Invite
      </Button>
    </form>
  )
}

/** Explains how the link reaches the invited person. */
const Invited = ({ row: { email, link } }: { row: NewInvitationView }) => (
  <Note tone="ok" role="status">
    {link ? (
      <>
        No mail server is configured, so send {email} this link yourself. It is shown once and works for 7 days.
        <div className="secret" style={{ marginTop: 8 }}>
          <code className="code breaks" data-link>
            {link}
          </code>
          <Copy value={link} what="invitation link" />
        </div>
      </>
    ) : (
      <>An e-mail with a link is on its way to {email}. It works for 7 days.</>
    )}
  </Note>
)

type RowProps = { row: InvitationView; onResend: () => void; onWithdraw: () => void }
function InvitationRow({ row: { email, role, invitedBy, expiresAt, isOpen }, onResend, onWithdraw }: RowProps) {
  const { me } = useHere()
  return (
    <tr>
      <td className="wrap">{email}</td>
      <td>{roleName(role)}</td>
      <td className="wrap" data-label="By">
        {invitedBy === me.person.email ? 'you' : invitedBy}
      </td>
      <td data-label={isOpen ? 'Expires' : undefined}>
        {isOpen ? <Ago at={expiresAt} /> : <span className="pill t-mute">Expired</span>}
      </td>
      <td className="right whole">
        <span className="row end">
          <Button size="compact-sm" variant="default" onClick={onResend} aria-label={`Send again to ${email}`}>
            Send again
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            onClick={onWithdraw}
            aria-label={`Withdraw the invitation of ${email}`}
          >
            Withdraw
          </Button>
        </span>
      </td>
    </tr>
  )
}
