import { isTerminal, terminalStatuses } from './status'

/** Where a record may be stored before it has a status, in the order of its way. */
const intake = [
  'matching intent',
  'screening deposit',
  'taking lane',
  'verifying balance',
  'finding route',
  'pricing fees',
  'signing order',
]
const failures = ['FAILED', ...terminalStatuses.filter((status) => status !== 'SUCCESS')]

const next = new Map<string, readonly string[]>([
  ...intake.map((state, n) => [state, [...intake.slice(n + 1), 'PENDING', ...failures]] as const),
  ['PENDING', ['signing order', 'RUNNING', ...failures]],
  ['RUNNING', ['SUCCESS', ...failures]],
  ['FAILED', [...intake.slice(1), 'PENDING', ...failures]],
  ...terminalStatuses.map((status) => [status, []] as const),
])

/**
 * Whether a record of one state may be stored in another: the machine's transitions, over the states that are not
 * stored by themselves. A test compares it with the machine. A state that only an older version knew may lead anywhere.
 */
export const mayFollow = (before: string, after: string): boolean =>
  before === after || (next.get(before)?.includes(after) ?? !isTerminal(before))

/** The states from which a record never comes to be in this one. */
export const neverBefore = (after: string): string[] => [...next.keys()].filter((before) => !mayFollow(before, after))
