import type { MongoStore } from '../../adapters/mongo/mongo-store'
import { type AuditEntry, audit } from '../../domain/tenant/audit'
import { randomId } from './tenants'

/** Who acts, for the audit log: somebody with a shell, under the name of the system's user if there is one. */
export const cliActor: AuditEntry['actor'] = {
  kind: 'SYSTEM',
  id: 'cli',
  label: process.env['USER'] ?? 'command line',
}

type Entry = Pick<AuditEntry, 'organizationId' | 'verb' | 'target'> & { details?: object }

/** Adds to the audit log what a command is about to do. Call it before the change is made. */
export const appendAudit = async (
  { auditLog, time }: Pick<MongoStore, 'auditLog' | 'time'>,
  entry: Entry,
): Promise<void> => audit(auditLog, { id: randomId('aud_'), at: await time(), actor: cliActor, ...entry })
