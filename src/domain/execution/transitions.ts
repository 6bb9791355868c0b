import type { Execution } from './execution'
import { isTerminal, terminalStatuses } from './status'

/** States before a status is shown, in order. */
const intake = [
  'matching intent',
  'screening deposit',
  'taking lane',
  'verifying balance',
  'finding route',
  'pricing fees',
  'signing order',
]
/** Right before signing, the balance might have to be verified again. */
const again = intake.indexOf('verifying balance')
const failures = ['FAILED', ...terminalStatuses.filter((status) => status !== 'SUCCESS')]

const nextStates = new Map<string, readonly string[]>([
  ...intake.map((state, n) => [state, [...intake.slice(Math.min(n + 1, again)), 'PENDING', ...failures]] as const),
  ['PENDING', [...intake.slice(again), 'RUNNING', ...failures]],
  ['RUNNING', ['SUCCESS', ...failures]],
  ['FAILED', [...intake.slice(1), 'PENDING', ...failures]],
  ...terminalStatuses.map((status) => [status, []] as const),
])

/**
 * Whether a record of one state may be stored in another. These are the machine's transitions, including those across
 * states that are never stored. A test compares them with the machine. A state that only an older version knew may lead
 * anywhere.
 */
export const mayFollow = (before: string, after: string): boolean =>
  before === after || (nextStates.get(before)?.includes(after) ?? !isTerminal(before))

/** Returns the states that never lead to this one. */
export const neverBefore = (after: string): string[] =>
  [...nextStates.keys()].filter((before) => !mayFollow(before, after))

/**
 * Throws if a record is neither due nor ended, or both. The store finds open records by `dueAt` and ended ones by
 * `completedAt`, so any other record would be in no list, and no sweep would find it.
 *
 * @throws {TypeError}
 */
export function assureDueOrEnded({ id, dueAt, completedAt }: Pick<Execution, 'id' | 'dueAt' | 'completedAt'>): void {
  if ((dueAt === null) === (completedAt === null)) throw new TypeError(`${id} must be either due or ended`)
}
