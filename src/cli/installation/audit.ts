import type { MongoStore } from '../../adapters/mongo/mongo-store'
import type { AuditEntry } from '../../ports/tenants'
import { randomId } from './tenants'

/** Who did it, for the audit log: somebody with a shell, whose name the system knows or does not. */
export const cliActor: AuditEntry['actor'] = {
  kind: 'SYSTEM',
  id: 'cli',
  label: process.env['USER'] ?? 'command line',
}

type Act = Pick<AuditEntry, 'organizationId' | 'verb' | 'target'> & { details?: object }

/** Writes down what somebody with a shell is about to do, before it is done. */
export const appendAudit = async (
  { auditLog, time }: Pick<MongoStore, 'auditLog' | 'time'>,
  { details = {}, ...act }: Act,
): Promise<void> =>
  auditLog.append({
    id: randomId('aud_'),
    at: await time(),
    actor: cliActor,
    ...act,
    details,
    reason: null,
    requestId: null,
  })
