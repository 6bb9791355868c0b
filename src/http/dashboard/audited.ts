import { type AuditEntry, audit } from '../../domain/tenant/audit'
import type { AuditVerb } from '../../domain/tenant/audit-verb'
import type { AuditLog } from '../../ports/tenants'
import type { MemberSession } from './member-session'
import { randomId } from './new-tenants'

type Act = { verb: AuditVerb; target: string } & Partial<Pick<AuditEntry, 'details' | 'reason'>> & {
    requestId?: unknown
  }
type Who = { person: Pick<MemberSession['person'], 'id' | 'email'> } & {
  organization: Pick<MemberSession['organization'], 'id'>
}

/** Writes a member's action to the audit log. Call it before the action is carried out. */
export const audited = (
  { auditLog, now }: { auditLog: AuditLog; now: () => number },
  { person, organization }: Who,
  { requestId = null, ...act }: Act,
): Promise<void> =>
  audit(auditLog, {
    id: randomId('aud_'),
    at: now(),
    actor: { kind: 'MEMBER', id: person.id, label: person.email },
    organizationId: organization.id,
    ...act,
    requestId: requestId === null ? null : String(requestId),
  })
