import { useMutation, useQueryClient } from '@tanstack/react-query'
import { isDeciding, type MemberRole } from '../../../domain/tenant/member-role'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import { FormDialog } from '../../ui/form-dialog'
import { showToast } from '../../ui/toast'
import { type MemberRow, roleName } from './roles'

export function useChangeRole() {
  const { organization } = useHere()
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ personId, role }: { personId: string; role: MemberRole }) =>
      ask(`/members/${personId}`, { method: 'PATCH', body: { role } }),
    onSuccess: () => showToast('The role has been changed.'),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['members', organization.id] })
      void client.invalidateQueries({ queryKey: ['me'] })
    },
  })
}

/** Whether a change of role is confirmed first: it gives the power over members, or changes the person's own. */
export const isConfirmed = ({ isYou }: MemberRow, role: MemberRole): boolean => isYou || isDeciding(role)

const powers: Record<MemberRole, string> = {
  owner: 'create keys, decide where deposits go, remove every other member, and delete the organization',
  admin: 'create keys, decide where deposits go, and invite and remove members',
  operator: 'retry, end and refund executions, and pause routing',
  member: 'read everything and change nothing',
}

type Props = { member: MemberRow; role: MemberRole; onClose: () => void }
export function ChangeRole({ member, role, onClose }: Props) {
  const { organization } = useHere()
  const change = useChangeRole()
  const { personId, isYou, name, email, role: before } = member
  return (
    <FormDialog
      title={isYou ? 'Change your own role' : `Change the role of ${name}`}
      action={`Change to ${roleName(role)}`}
      onSubmit={() => change.mutate({ personId, role }, { onSuccess: onClose })}
      onClose={onClose}
      isPending={change.isPending}
      error={change.error}
    >
      <p className="small">
        {isYou ? 'You are' : `${name} (${email}) is`} {roleName(before)} of {organization.name}. As {roleName(role)},{' '}
        {isYou ? 'you' : name} can {powers[role]}.
      </p>
      {isYou && <p className="small">Only another owner or admin can undo this.</p>}
    </FormDialog>
  )
}
