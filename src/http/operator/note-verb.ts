import type { OperationRequest } from '../../domain/execution/operation'
import { audit } from '../../domain/tenant/audit'
import type { AuditVerb } from '../../domain/tenant/audit-verb'
import type { Caller } from '../request/caller'
import type { OperatorPorts } from './ports'

type Verb = { verb: AuditVerb; target: string; at: number; details?: object }

type Why = Pick<OperationRequest, 'actor' | 'requestId'> & { reason: string | null }

/** Writes an action to the audit log. Call it before the action is carried out. */
export const noteVerb = (
  { auditLog, newId }: Pick<OperatorPorts, 'auditLog' | 'newId'>,
  { organization }: Caller,
  { actor, reason, requestId }: Why,
  act: Verb,
): Promise<void> =>
  audit(auditLog, { id: newId('aud_'), actor, organizationId: organization.id, reason, requestId, ...act })
