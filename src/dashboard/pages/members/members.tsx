import { Button, Select, Switch, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, Suspense, useState } from 'react'
import type { MemberRole } from '../../../domain/tenant/member-role'
import { ask } from '../../data/api'
import { lazily } from '../../data/lazily'
import { useHere } from '../../data/session'
import { useRead } from '../../data/use-read'
import { ListView } from '../../ui/list-view'
import { Card, Page, Trouble } from '../../ui/parts'
import { Ago } from '../../ui/time'
import { showToast } from '../../ui/toast'
import { ChangeRole, isConfirmed, useChangeRole } from './change-role'
import { DeleteOrganization } from './delete-organization'
import { Invitations } from './invitations'
import { Leave } from './leave'
import { type MemberRow, roleName, roleOptions } from './roles'

const Sso = lazily(() => import('./sso'))

export default function Members() {
  const { organization, isAdmin } = useHere()
  const members = useRead<MemberRow[]>(['members'], '/members')
  const [leaving, setLeaving] = useState<MemberRow | null>(null)
  const [changing, setChanging] = useState<{ member: MemberRow; role: MemberRole } | null>(null)
  const give = useChangeRole()
  const change = (member: MemberRow, role: MemberRole) =>
    isConfirmed(member, role) ? setChanging({ member, role }) : give.mutate({ personId: member.personId, role })
  const mayChange = (member: MemberRow) => isAdmin && (member.role !== 'owner' || organization.role === 'owner')
  return (
    <Page title="Members" lead={`The members of ${organization.name}, and what each may do.`}>
      <Trouble error={give.error} />
      <ListView
        list={members}
        label="Members"
        bones={{ rows: 3, height: 26 }}
        heads={['Name', 'E-mail', 'Role', 'Joined', { hidden: 'Actions' }]}
        kind="folds people"
      >
        {(member) => (
          <MemberLine
            key={member.personId}
            member={member}
            mayChange={mayChange(member)}
            onRole={(role) => change(member, role)}
            onLeave={() => setLeaving(member)}
          />
        )}
      </ListView>
      {isAdmin && <Invitations />}
      {isAdmin && <SecondStepDemand />}
      {isAdmin && (
        <Suspense fallback={null}>
          <Sso />
        </Suspense>
      )}
      {isAdmin && <Rename />}
      {organization.role === 'owner' && !organization.isPlatform && <DeleteOrganization />}
      {changing && <ChangeRole {...changing} onClose={() => setChanging(null)} />}
      {leaving && <Leave member={leaving} onClose={() => setLeaving(null)} />}
    </Page>
  )
}

type LineProps = { member: MemberRow; mayChange: boolean; onRole: (role: MemberRole) => void; onLeave: () => void }
function MemberLine({ member, mayChange, onRole, onLeave }: LineProps) {
  const { organization } = useHere()
  return (
    <tr>
      <td className="strong">
        {member.name} {member.isYou && <span className="sub">(you)</span>}
      </td>
      <td className="wrap">{member.email}</td>
      <td>
        {mayChange ? (
          <Select
            aria-label={`Role of ${member.name}`}
            size="xs"
            w={210}
            data={organization.role === 'owner' ? roleOptions : roleOptions.slice(1)}
            value={member.role}
            onChange={(role) => role && role !== member.role && onRole(role as MemberRole)}
          />
        ) : (
          roleName(member.role)
        )}
      </td>
      <td>
        <Ago at={member.joinedAt} />
      </td>
      <td className="right">
        {(member.isYou || mayChange) && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={onLeave}
            aria-label={member.isYou ? 'Leave' : `Remove ${member.name}`}
          >
            {member.isYou ? 'Leave' : 'Remove'}
          </Button>
        )}
      </td>
    </tr>
  )
}

function Rename() {
  const { organization } = useHere()
  const client = useQueryClient()
  const rename = useMutation({
    mutationFn: (name: string) => ask('/organization', { method: 'PATCH', body: { name } }),
    onSuccess: () => {
      showToast('Renamed.')
      void client.invalidateQueries({ queryKey: ['me'] })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    rename.mutate(String(new FormData(event.currentTarget).get('name')))
  }
  return (
    <Card title="Organization">
      <form onSubmit={submit} className="stack">
        <div className="row" style={{ alignItems: 'flex-end' }}>
          <TextInput name="name" label="Name" defaultValue={organization.name} maxLength={64} required w={300} />
          <Button type="submit" variant="default" loading={rename.isPending}>
            Rename
          </Button>
        </div>
        <Trouble error={rename.error} />
        <p className="sub small">
          ID <span className="mono">{organization.id}</span>, plan: {organization.plan}. A new name does not change the
          address of these pages.
        </p>
      </form>
    </Card>
  )
}

/** Whether every member needs a second step. The owner who requires it must have one. */
export function SecondStepDemand() {
  const { me, organization } = useHere()
  const client = useQueryClient()
  const isOn = organization.demandsSecondStep
  const change = useMutation({
    mutationFn: (demandsSecondStep: boolean) =>
      ask('/organization/second-step', { method: 'PUT', body: { demandsSecondStep } }),
    onSuccess: (_, isDemanded) => {
      showToast(isDemanded ? 'Every member needs a second step now.' : 'The second step is optional again.')
      void client.invalidateQueries({ queryKey: ['me'] })
    },
  })
  return (
    <Card title="Second step">
      <div className="stack">
        <Switch
          label="Require a second step of every member"
          description={
            isOn || me.person.hasSecondStep
              ? 'Members without one must set it up before they see anything else of this organization.'
              : 'First set up your own second step, on the page Your account.'
          }
          checked={isOn}
          disabled={change.isPending || (!isOn && !me.person.hasSecondStep)}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
        <Trouble error={change.error} />
      </div>
    </Card>
  )
}
