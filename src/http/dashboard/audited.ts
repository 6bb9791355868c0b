import type { AuditVerb } from '../../domain/tenant/audit-verb'
import type { MemberSession } from './member-session'
import { randomId } from './new-tenants'
import type { MemberPorts } from './ports'

type Act = { verb: AuditVerb; target: string; details?: object; reason?: string | null; requestId?: unknown }
type Who = Pick<MemberSession, 'person'> & { organization: Pick<MemberSession['organization'], 'id'> }

/** Writes the act of a member to the audit log. Call it before the act is carried out. */
export const audited = (
  { auditLog, now }: Pick<MemberPorts, 'auditLog' | 'now'>,
  { person, organization }: Who,
  { verb, target, details = {}, reason = null, requestId = null }: Act,
): Promise<void> =>
  auditLog.append({
    id: randomId('aud_'),
    at: now(),
    actor: { kind: 'MEMBER', id: person.id, label: person.email },
    organizationId: organization.id,
    verb,
    target,
    reason,
    details,
    requestId: requestId === null ? null : String(requestId),
  })
