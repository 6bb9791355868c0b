import type { Execution } from '../../domain/execution/execution'
import { type Asked, OperationRefused } from '../../domain/execution/operation'
import type { Seals } from '../../domain/seals'
import type { AuditVerb } from '../../domain/tenant/audit-verb'
import type { Chains } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import type { AuditLog, Blacklist, DepositIntents } from '../../ports/tenants'
import type { Wakes } from '../../ports/wakes'

export type OperationPorts = {
  executions: Executions
  intents: DepositIntents
  seals: Seals
  chains: Chains
  blacklist: Blacklist
  auditLog: AuditLog
  wakes: Pick<Wakes, 'wakeNow'>
  /** Told of each record that is stored, with the one before it. */
  onRecord?: (before: Execution, after: Execution) => void
  machineVersion: string
  now: () => number
  /** For ids of audit entries. */
  newId: () => string
}

/** Another organization's execution is one that does not exist. */
export async function found(executions: Executions, id: string, { organizationId }: Asked): Promise<Execution> {
  const record = await executions.load(id)
  const isTheirs = record && (organizationId === null || record.organizationId === organizationId)
  if (!isTheirs) throw new OperationRefused('EXECUTION_NOT_FOUND')
  return record
}

/** Written before the deed: what is not in the log was not done. */
export const note = (
  { auditLog, now, newId }: OperationPorts,
  verb: AuditVerb,
  record: Execution,
  asked: Asked,
  details: object = {},
): Promise<void> =>
  auditLog.append({
    id: newId(),
    at: now(),
    actor: asked.actor,
    organizationId: record.organizationId,
    verb,
    target: record.id,
    reason: asked.reason,
    details,
    requestId: asked.requestId,
  })

/** Decides on what is stored and stores it, unless it stays as it is; the loser of two writers decides anew. */
export async function changed(
  { executions, onRecord }: OperationPorts,
  first: Execution,
  change: (record: Execution) => Execution,
): Promise<Execution> {
  for (let record = first; ; ) {
    const wanted = change(record)
    if (wanted === record) return record
    const stored = await executions.save(wanted)
    if (stored) {
      onRecord?.(record, stored)
      return stored
    }
    record = (await executions.load(record.id)) ?? record
  }
}
