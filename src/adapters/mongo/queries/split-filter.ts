import { isTerminal, type Status, statusNames } from '../../../domain/execution/status'
import { hasEnded, isNarrow, sharedIndexes, statusesOf } from '../collections/execution-model'
import type { Filter } from '../engine/page'

/** A filter for one status or for several. */
export const inStatus = (statuses: readonly Status[]): Filter => ({
  status: statuses.length === 1 ? statuses[0] : { $in: [...statuses] },
})

/**
 * Splits a filter into those that indexes answer, in the order in which an execution passes through them: open
 * executions are few, and for those that have ended every shared field has its own index.
 */
export function splitFilter(asked: Filter): Filter[] {
  const isShared = Object.keys(sharedIndexes).some((name) => asked[name] !== undefined)
  const statuses = statusesOf(asked['status']) as Status[]
  const mayBeMany = statuses.length === 0 || statuses.includes('SUCCESS')
  if (!isShared || !mayBeMany || isNarrow(asked) || asked['organizationId'] === undefined) return [asked]
  const open = (statuses.length > 0 ? statuses : statusNames).filter((status) => !isTerminal(status))
  const ended = statuses.length > 0 ? inStatus(statuses.filter(isTerminal)) : {}
  return [...(open.length > 0 ? [{ ...asked, ...inStatus(open) }] : []), { ...asked, ...ended, ...hasEnded }]
}
