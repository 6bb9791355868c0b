import { isTerminal, type Status, statusNames } from '../../../domain/execution/status'
import { hasEnded, isNarrow, sharedIndexes, statusesOf } from '../collections/execution-model'
import type { Filter } from '../engine/page'

/** Of several statuses, or of one. */
export const inStatus = (statuses: readonly Status[]): Filter => ({
  status: statuses.length === 1 ? statuses[0] : { $in: [...statuses] },
})

/**
 * A filter as the filters that indexes answer, in the order in which an execution passes through them: what still moves
 * is little, and of what has ended everything that is shared has an index of its own.
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
