import { rewrite } from '../../domain/concurrency'
import type { Execution } from '../../domain/execution/execution'
import { OperationRefused, type OperationRequest } from '../../domain/execution/operation'
import type { Seals } from '../../domain/seals'
import { audit } from '../../domain/tenant/audit'
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
  /** Called for each record that is stored, with the record that it replaced. */
  onRecord?: (before: Execution, after: Execution) => void
  machineVersion: string
  now: () => number
  /** Makes ids of audit entries. */
  newId: () => string
}

/** Loads an execution. For an operator of another organization it does not exist. */
export async function loadFor(
  executions: Executions,
  id: string,
  { organizationId }: OperationRequest,
): Promise<Execution> {
  const record = await executions.load(id)
  const isTheirs = record && (organizationId === null || record.organizationId === organizationId)
  if (!isTheirs) throw new OperationRefused('EXECUTION_NOT_FOUND')
  return record
}

/** The `seq` of the execution as the author of an operation saw it. If it is absent, the current state applies. */
export type SeenExecution = { seq?: number | undefined }

export function assureSeen(record: Execution, { seq = record.seq }: SeenExecution): void {
  if (seq !== record.seq) throw new OperationRefused('CHANGED_MEANWHILE')
}

/** When the author of an operation on many executions saw them. If it is absent, the current state applies. */
export type SeenUntil = { storedTo?: number }

/** Refuses an execution that failed or ended after its author saw it. */
export function assureSettled({ completedAt, cause }: Execution, { storedTo = Number.POSITIVE_INFINITY }: SeenUntil) {
  if (Math.max(completedAt ?? 0, cause?.at ?? 0) > storedTo) throw new OperationRefused('CHANGED_MEANWHILE')
}

/** Writes the operation to the audit log before it acts. An operation missing from the log did not happen. */
export const noteOperation = (
  { auditLog, now, newId }: OperationPorts,
  verb: AuditVerb,
  record: Execution,
  operationRequest: OperationRequest,
  details: object = {},
): Promise<void> =>
  audit(auditLog, {
    id: newId(),
    at: now(),
    actor: operationRequest.actor,
    organizationId: record.organizationId,
    verb,
    target: record.id,
    reason: operationRequest.reason,
    details,
    requestId: operationRequest.requestId,
  })

/**
 * Changes the stored record, unless `change` returns it unchanged. If another writer was faster, `change` decides again
 * on that writer's record.
 */
export async function changeRecord(
  { executions, onRecord }: OperationPorts,
  first: Execution,
  change: (record: Execution) => Execution,
): Promise<Execution> {
  let before = first
  let execution = first
  const decide = (record: Execution | null): Execution | null => {
    before = record ?? before
    execution = change(before)
    return execution === before ? null : execution
  }
  const stored = (await rewrite(executions, first.id, decide, { first })) ?? before
  if (execution !== before) onRecord?.(before, stored)
  return stored
}
