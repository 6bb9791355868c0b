import { Button, Select, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import { Copy } from '../../ui/copy'
import { Card, Note, Trouble } from '../../ui/parts'
import { Table } from '../../ui/table'
import { Ago } from '../../ui/time'
import { roleName, roleOptions } from './roles'

type Row = {
  id: string
  email: string
  role: string
  invitedBy: string
  createdAt: string
  expiresAt: string
  isOpen: boolean
  link?: string | null
}

/** By letter where there is a mail server; else the inviter hands over the link, which is shown once. */
export function Invitations() {
  const { organization, me } = useHere()
  const client = useQueryClient()
  const queryKey = ['invitations', organization.id]
  const list = useQuery({ queryKey, queryFn: () => ask<Row[]>('/invitations') })
  const [made, setMade] = useState<Row | null>(null)
  const [role, setRole] = useState('member')
  const renew = () => void client.invalidateQueries({ queryKey })
  const invite = useMutation({
    mutationFn: (email: string) => ask<Row>('/invitations', { body: { email, role } }),
    onSuccess: setMade,
    onSettled: renew,
  })
  const again = useMutation({
    mutationFn: (id: string) => ask<Row>(`/invitations/${id}/resend`, { method: 'POST' }),
    onSuccess: setMade,
    onSettled: renew,
  })
  const withdraw = useMutation({
    mutationFn: (id: string) => ask(`/invitations/${id}`, { method: 'DELETE' }),
    onSettled: renew,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    invite.mutate(String(new FormData(event.currentTarget).get('email')))
    event.currentTarget.reset()
  }
  return (
    <Card title="Invite somebody">
      <div className="stack">
        <form onSubmit={submit} className="row" style={{ alignItems: 'flex-end' }}>
          <TextInput
            name="email"
            type="email"
            label="E-mail"
            placeholder="ada@example.com"
            required
            withAsterisk={false}
            w={280}
          />
          <Select
            label="Role"
            data={organization.role === 'owner' ? roleOptions : roleOptions.slice(1)}
            value={role}
            onChange={(value) => setRole(value ?? 'member')}
            allowDeselect={false}
            w={230}
          />
          <Button type="submit" loading={invite.isPending}>
            Invite
          </Button>
        </form>
        <Trouble error={invite.error ?? again.error ?? withdraw.error} />
        {made && (
          <Note tone="ok" role="status">
            {made.link ? (
              <>
                No mail server is configured, so send {made.email} this link yourself. It is shown once and works for 7
                days.
                <div className="secret" style={{ marginTop: 8 }}>
                  <code className="code breaks" data-link>
                    {made.link}
                  </code>
                  <Copy value={made.link} what="invitation link" />
                </div>
              </>
            ) : (
              <>An e-mail with a link is on its way to {made.email}. It works for 7 days.</>
            )}
          </Note>
        )}
        {list.data && list.data.length > 0 && (
          <Table kind="folds" heads={['E-mail', 'Role', 'Invited by', 'Expires', { hidden: 'Actions' }]}>
            {list.data.map(({ id, email, role: given, invitedBy, expiresAt, isOpen }) => (
              <tr key={id}>
                <td className="wrap">{email}</td>
                <td>{roleName(given)}</td>
                <td className="wrap" data-label="By">
                  {invitedBy === me.person.email ? 'you' : invitedBy}
                </td>
                <td data-label={isOpen ? 'Expires' : undefined}>
                  {isOpen ? <Ago at={expiresAt} /> : <span className="pill t-mute">Expired</span>}
                </td>
                <td className="right whole">
                  <span className="row end">
                    <Button
                      size="compact-sm"
                      variant="default"
                      onClick={() => again.mutate(id)}
                      aria-label={`Send again to ${email}`}
                    >
                      Send again
                    </Button>
                    <Button
                      size="compact-sm"
                      variant="default"
                      onClick={() => withdraw.mutate(id)}
                      aria-label={`Withdraw the invitation of ${email}`}
                    >
                      Withdraw
                    </Button>
                  </span>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </div>
    </Card>
  )
}
