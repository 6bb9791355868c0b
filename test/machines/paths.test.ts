import { expect, test } from 'bun:test'
import type { SnapshotFrom } from 'xstate'
import { getShortestPaths, getSimplePaths } from 'xstate/graph'
import { type ExecutionEvent, executionMachine, follow, stateNames } from '../../machines/execution'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import { type Execution, failureOf, isLive } from '../../src/domain/execution/execution'
import { isTerminal, type Status, statusNames, terminalStatuses } from '../../src/domain/execution/status'
import { detected, fees, intent, order, sent, spent } from '../support/world'

/** One retry, so that the paths can be counted: the limit itself is not what they are about. */
const retry = { retriesMax: 1, baseMs: 1, factor: 1, maxMs: 1, providerMaxMs: 1 }
const failed = (type: 'step failed' | 'order failed', code: ErrorCode): ExecutionEvent => ({
  type,
  failure: failureOf(new RoutingError(code)),
  retryAt: 2,
  at: 1,
  retry,
})
const left = (amountForSwapRaw: string) => ({ fees: { ...fees, amountForSwapRaw } })
const everyError: ErrorCode[] = [
  'PROVIDER_TIMEOUT',
  'SIGNER_REFUSED',
  'TOKEN_BLACKLISTED',
  'NO_ROUTE',
  'INVALID_TARGET',
  'BALANCE_TOO_LOW',
  'FEES_EXCEED_DEPOSIT',
  'MONTHLY_QUOTA_REACHED',
  'UNEXPECTED',
]
const nothingHappened: ExecutionEvent[] = [
  { type: 'intent matched', at: 1, facts: { intent, routeId: order.routeId } },
  { type: 'deposit screened', at: 1 },
  { type: 'lane taken', at: 1, facts: { laneClearFrom: 0 } },
  { type: 'balance verified', at: 1, facts: { balance: { totalReceivedRaw: '1000', block: 1 } } },
  { type: 'route found', at: 1 },
  { type: 'fees priced', at: 1, facts: left('990') },
  { type: 'fees priced', at: 1, facts: left('0') },
  { type: 'order signed', at: 1, facts: { order } },
  { type: 'balance outdated', at: 1 },
]
const abandoned: ExecutionEvent = { type: 'abandoned', at: 1, failure: failureOf(new RoutingError('ABANDONED')) }

/** The events that steps and operators send, from the states in which they can send them. */
const eventsOf =
  (errors: readonly ErrorCode[]) =>
  ({ context, value }: Pick<SnapshotFrom<typeof executionMachine>, 'context' | 'value'>): ExecutionEvent[] => {
    if (isTerminal(String(value))) return [] // `follow` ignores every event in a final state
    if (value !== 'PENDING' && value !== 'RUNNING')
      return [...nothingHappened, abandoned, ...errors.map((code) => failed('step failed', code))]
    const trouble = [failed('step failed', 'RPC_TIMEOUT'), failed('step failed', 'UNEXPECTED'), abandoned]
    if (context.facts.spent)
      return [...trouble, { type: 'funds delivered', at: 1 }, failed('order failed', 'FUNDS_RETURNED')]
    return [
      ...trouble,
      { type: 'transaction submitted', at: 1, facts: { transactions: [sent] } },
      { type: 'transaction mined', at: 1, facts: { spent } },
      ...(value === 'PENDING' ? [{ type: 'order expired', at: 1 } as const] : []),
      failed('order failed', 'ORDER_LAPSED'),
      failed('order failed', 'TRANSACTION_REVERTED'),
    ]
  }

const positionOf = ({ state, status, retryCount, facts }: Execution): string =>
  JSON.stringify([state, status, retryCount, facts.order !== undefined, facts.spent !== undefined])
const optionsWith = (errors: readonly ErrorCode[]) =>
  ({
    input: detected,
    events: eventsOf(errors),
    serializeState: ({ value, context }: { value: unknown; context: Execution }) =>
      positionOf({ ...context, state: String(value) }),
  }) as never

type Path = { steps: { event: ExecutionEvent | { type: 'xstate.init' } }[] }
const followed = ({ steps }: Path): Execution[] => {
  const records = [detected]
  for (const { event } of steps)
    if (event.type !== 'xstate.init') records.push(follow(records.at(-1)!, event as ExecutionEvent))
  return records
}

// The transitions between statuses (interface 3). A failure of any kind can follow every status that is not final.
const mayFollow: Record<Status | 'none', readonly Status[]> = {
  ...(Object.fromEntries(statusNames.map((status) => [status, []])) as unknown as Record<Status, Status[]>),
  none: ['PENDING', 'FAILED'],
  PENDING: ['RUNNING', 'FAILED'],
  RUNNING: ['SUCCESS', 'FAILED'],
  FAILED: ['RUNNING'],
}
const isAllowed = (from: Status | null, to: Status | null): boolean => {
  if (from === to) return true
  if (to === null || (from !== null && isTerminal(from))) return false
  return mayFollow[from ?? 'none'].includes(to) || (isTerminal(to) && to !== 'SUCCESS')
}

const shortest = getShortestPaths(executionMachine, optionsWith(everyError)) as unknown as Path[]
/**
 * Paths without repeated states. One retryable and one permanent error suffice: the others only end in other statuses.
 */
const simple = getSimplePaths(executionMachine, optionsWith(['PROVIDER_TIMEOUT', 'NO_ROUTE'])) as unknown as Path[]

test('paths: every state and every status can be reached', () => {
  const met = shortest.flatMap(followed)
  expect(stateNames.filter((name) => !met.some(({ state }) => state === name))).toEqual([])
  expect(statusNames.filter((name) => !met.some(({ status }) => status === name))).toEqual([])
})

test('paths: a final state can be reached from every state', () => {
  const onwards = new Map<string, Set<string>>()
  for (const records of simple.map(followed))
    for (const [n, record] of records.slice(1).entries()) {
      const from = positionOf(records[n]!)
      onwards.set(from, (onwards.get(from) ?? new Set()).add(positionOf(record)))
    }
  const ends = (place: string, seen = new Set<string>()): boolean =>
    terminalStatuses.some((status) => place.startsWith(`["${status}"`)) ||
    (!seen.has(place) && [...(onwards.get(place) ?? [])].some((next) => ends(next, seen.add(place))))
  expect([...onwards.keys()].filter((place) => !ends(place))).toEqual([])
})

test(`paths: all ${shortest.length + simple.length} of them keep the rules at every step`, () => {
  for (const path of [...shortest, ...simple]) {
    const records = followed(path)
    for (const [n, after] of records.slice(1).entries()) {
      const [from, story] = [records[n]!, path.steps.map(({ event }) => event.type).join(' > ')]
      expect(isAllowed(from.status, after.status), `${from.status} to ${after.status}: ${story}`).toBe(true)
      expect(after.retryCount - from.retryCount, story).toBeOneOf([0, 1])
      expect(after.completedAt !== null, story).toBe(isTerminal(after.state))
      expect(after.dueAt === null, story).toBe(isTerminal(after.state))
      // A signed order can move money until the chain excludes it. No outcome is decided before that.
      const isDecided = isTerminal(after.state) || after.state === 'FAILED'
      if (isDecided && path.steps[n + 1]?.event.type !== 'order failed') expect(isLive(after), story).toBe(false)
      if (from.facts.intent) expect(after.facts.intent, story).toEqual(from.facts.intent)
      if (isTerminal(after.state)) expect(after.status, story).toBe(after.state)
      expect(after.history.map(({ seq }) => seq)).toEqual(after.history.map((_, index) => index + 1))
    }
  }
})
