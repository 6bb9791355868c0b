import type { MongoStore } from '../../adapters/mongo/mongo-store'
import { type AuditEntry, audit } from '../../domain/tenant/audit'
import { randomId } from '../../http/dashboard/new-tenants'

/** The actor in the audit log: someone with a shell, under the system's user name if it is set. */
export const cliActor: AuditEntry['actor'] = {
  kind: 'SYSTEM',
  id: 'cli',
  label: process.env['USER'] ?? 'command line',
}

type Entry = Pick<AuditEntry, 'organizationId' | 'verb' | 'target'> & { details?: object }

/** Adds an intended change to the audit log. Call it before making the change. */
export const appendAudit = async (
  { auditLog, time }: Pick<MongoStore, 'auditLog' | 'time'>,
  entry: Entry,
): Promise<void> => audit(auditLog, { id: randomId('aud_'), at: await time(), actor: cliActor, ...entry })
