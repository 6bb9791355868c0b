import { type AnyActorScope, assign, createActor, setup } from 'xstate'
import { errorCodes, errorRow } from '../src/domain/error'
import { type Execution, type Facts, type Failure, isLive } from '../src/domain/execution/execution'
import { isToBeMinted } from '../src/domain/execution/mint'
import { mayRetry, type RetryPolicy } from '../src/domain/execution/retry'
import {
  isStatus,
  isTerminal,
  type Status,
  type TerminalStatus,
  terminalStatuses,
} from '../src/domain/execution/status'
import { amountOf } from '../src/domain/money/amount'

/**
 * Report of a step to the machine. `facts` are merged into the record. `at` is the time of the event, and `retryAt` is
 * when a failed step runs again; both are milliseconds since 1970. `isStop` means that our own holders or a token's
 * issuer stopped the order. The first `refusedOrdersMax` such orders of a deposit spend no retry.
 */
export type ExecutionEvent = { at: number; facts?: Facts } & (
  | { type: 'intent matched' | 'deposit screened' | 'lane taken' | 'balance verified' | 'route found' | 'fees priced' }
  | { type: 'balance outdated' }
  | { type: 'order signed' | 'order expired' | 'transaction submitted' | 'transaction mined' | 'funds delivered' }
  | { type: 'step failed' | 'order failed'; failure: Failure; retryAt: number; retry?: RetryPolicy; isStop?: true }
  | { type: 'abandoned'; failure: Failure }
)

/** Step that runs in each state. Every step has its own file in `src/routing/steps`. */
export type StepName =
  | 'matchIntent'
  | 'screenDeposit'
  | 'takeLane'
  | 'verifyBalance'
  | 'findRoute'
  | 'priceFees'
  | 'signOrder'
  | 'submitOrder'
  | 'confirmDelivery'

type Meta = { step: StepName; description: string }

const execution = setup({
  types: {
    input: {} as Execution,
    context: {} as Execution,
    events: {} as ExecutionEvent,
    meta: {} as Meta,
  },
  guards: {
    'nothing is left': ({ event }) => amountLeft(event.facts) <= 0n,
    'nothing can move': ({ context }) => !isLive(context) && !isToBeMinted(context),
    'decides nothing': ({ event }) =>
      'failure' in event && (errorRow(event.failure.code).endsIn === null || !errorRow(event.failure.code).spendsRetry),
    'was stopped': ({ context, event }) => spendsNoRetry(event, context),
    'may be retried': ({ context, event }) =>
      'retryAt' in event && mayRetry(context.retryCount, event.failure.category, event.retry),
    'ends in': ({ event }, { status }: { status: Status }) =>
      'failure' in event && errorRow(event.failure.code).endsIn === status,
  },
  actions: {
    keep: assign(({ context, event }) => ({
      facts: { ...context.facts, ...event.facts },
      cause: 'failure' in event ? { ...event.failure, at: event.at } : context.cause,
    })),
    // A retry keeps showing FAILED until its transaction is on its way: no status leads back to PENDING (interface 3).
    publish: assign(({ context: { status: shown } }, { status }: { status: Status }) => ({
      status: status === 'PENDING' ? (shown ?? status) : status,
    })),
    wait: assign(({ context, event }) => ({ dueAt: 'retryAt' in event ? event.retryAt : context.dueAt })),
    'blame the fees': assign(({ event }) => ({
      cause: { ...feesExceedDeposit(), at: event.at },
    })),
    // An expired order is removed, because the next order is a new decision about the same route. Its transactions stay
    // in `dropped`, where they can be shown and queried.
    forgetOrder: assign(({ context: { facts } }) => {
      const { order: _, asked: _request, transactions = [], receipt, ...remaining } = facts
      const sent = transactions.map((one) =>
        receipt?.hash === one.hash && !receipt.succeeded ? { ...one, revertedIn: receipt.block } : one,
      )
      const dropped = [...(facts.dropped ?? []), ...sent]
      return { facts: dropped.length > 0 ? { ...remaining, dropped } : remaining }
    }),
    countRetry: assign(({ context: { retryCount } }) => ({ retryCount: retryCount + 1 })),
    complete: assign(({ event }) => ({ completedAt: event.at, dueAt: null })),
  },
})

/**
 * Number of refused orders of one deposit that spend no retry. Signing stops within an hour after a signer is stopped,
 * so there are fewer. A token can revert with the bytes of our errors, so the gas of more orders is not spent on it.
 */
const refusedOrdersMax = 60
/** Whether an order failed because it was stopped, and may do so without spending a retry. */
export const spendsNoRetry = (event: object, { facts }: Pick<Execution, 'facts'>): boolean =>
  'isStop' in event && event.isStop === true && refusedOrders(facts) < refusedOrdersMax
/** An order has one transaction that reverted: the others have its nonce. */
const refusedOrders = ({ dropped = [] }: Facts): number =>
  dropped.filter(({ revertedIn }) => revertedIn !== undefined).length

/** The fee rules can leave a negative amount. Only its sign matters here, so any negative amount becomes -1. */
const amountLeft = (facts: Facts | undefined): bigint => {
  const left = facts?.fees?.amountForSwapRaw ?? '0'
  return left.startsWith('-') ? -1n : amountOf(left)
}

const feesExceedDeposit = (): Failure => {
  const { category, message } = errorRow('FEES_EXCEED_DEPOSIT')
  return { code: 'FEES_EXCEED_DEPOSIT', category, message }
}

const then = <Target extends string>(target: Target) => ({ target, actions: 'keep' }) as const
const askAgain = { actions: ['keep', 'wait'] } as const
const publish = <S extends Status>(status: S) => ({ type: 'publish', params: { status } }) as const
const doing = (step: StepName, description: string): { meta: Meta } => ({ meta: { step, description } })

/** Every terminal status is a final state of the same name (interface 3). */
const final = (status: TerminalStatus) => ({ type: 'final', entry: [publish(status), 'complete'] }) as const
const finals = Object.fromEntries(terminalStatuses.map((status) => [status, final(status)])) as Record<
  TerminalStatus,
  ReturnType<typeof final>
>

/** Final statuses of a failure, as named in the error table. */
const rejections = terminalStatuses.filter((status) => errorCodes.some((code) => errorRow(code).endsIn === status))

const failed = [
  { guard: 'may be retried', target: '.FAILED', actions: ['keep', 'wait', 'forgetOrder', 'countRetry'] },
  ...rejections.map(
    (status) => ({ guard: { type: 'ends in', params: { status } }, target: `.${status}`, actions: 'keep' }) as const,
  ),
  { target: '.DEAD_LETTER', actions: 'keep' },
] as const

/**
 * Life of one execution (interface 3). The machine is pure: `src/routing/engine/advance.ts` runs the steps and stores
 * their results. After an order is signed, an error only triggers another check of the outcome. Only evidence on the
 * chain ends the order.
 */
export const executionMachine = execution.createMachine({
  id: 'execution',
  version: '1',
  context: ({ input }) => input,
  initial: 'matching intent',
  on: {
    'step failed': [{ guard: 'decides nothing', ...askAgain }, ...failed],
    'order failed': [{ guard: 'was stopped', target: '.FAILED', actions: ['keep', 'wait', 'forgetOrder'] }, ...failed],
    abandoned: { guard: 'nothing can move', target: '.DEAD_LETTER', actions: 'keep' },
  },
  states: {
    'matching intent': {
      ...doing('matchIntent', 'Looking up where this user’s deposits go.'),
      on: { 'intent matched': then('screening deposit') },
    },
    'screening deposit': {
      ...doing('screenDeposit', 'Checking the deposit and its parties against the security list.'),
      on: { 'deposit screened': then('taking lane') },
    },
    'taking lane': {
      ...doing('takeLane', 'Waiting for earlier deposits of this token to leave the account.'),
      on: { 'lane taken': then('verifying balance') },
    },
    'verifying balance': {
      ...doing('verifyBalance', 'Reading from the chain what the account holds.'),
      on: { 'balance verified': then('finding route') },
    },
    'finding route': {
      ...doing('findRoute', 'Requesting a route from the providers.'),
      on: { 'route found': then('pricing fees') },
    },
    'pricing fees': {
      ...doing('priceFees', 'Estimating gas and splitting the deposit into fees and the amount to route.'),
      on: {
        'fees priced': [
          { guard: 'nothing is left', target: 'FAILED_INSUFFICIENT_AFTER_FEES', actions: ['keep', 'blame the fees'] },
          then('signing order'),
        ],
      },
    },
    'signing order': {
      ...doing('signOrder', 'Checking the route against the intent and signing it.'),
      // The signing step can find that leftovers of other deposits may no longer be included.
      on: { 'order signed': then('PENDING'), 'balance outdated': then('verifying balance') },
    },
    PENDING: {
      entry: publish('PENDING'),
      ...doing('submitOrder', 'Sending the transaction.'),
      on: {
        'transaction submitted': then('RUNNING'),
        'transaction mined': then('RUNNING'),
        // The order expired before it was ever sent. Waiting for a slot is not a retry, so none is counted.
        'order expired': { target: 'signing order', actions: ['keep', 'forgetOrder'] },
        'step failed': askAgain,
      },
    },
    RUNNING: {
      entry: publish('RUNNING'),
      ...doing('confirmDelivery', 'Waiting for the transaction, then for the delivery.'),
      on: {
        'transaction mined': then('RUNNING'),
        'funds delivered': then('SUCCESS'),
        'step failed': askAgain,
      },
    },
    // A retry begins like a first attempt, but with the intent that the execution was matched with.
    FAILED: {
      entry: publish('FAILED'),
      ...doing('matchIntent', 'Waiting for the next attempt.'),
      on: { 'intent matched': then('screening deposit') },
    },
    ...finals,
  },
})

type State = keyof typeof executionMachine.states
export const stateNames = Object.keys(executionMachine.states) as State[]

type StateAndFacts = Pick<Execution, 'state' | 'facts'>

/**
 * Replaces a state that this version of the machine lacks. If an order exists, its outcome is read from the chain.
 * Otherwise the execution begins again.
 */
const supportedState = ({ state, facts }: StateAndFacts): State =>
  (state in executionMachine.states ? state : facts.order ? 'RUNNING' : 'matching intent') as State

/** Returns the next step, or null if nothing is left to do. */
export const stepOf = (seen: StateAndFacts): StepName | null =>
  executionMachine.states[supportedState(seen)]?.meta?.step ?? null

/**
 * Whether the state is shown to integrators. A public state is stored before its step runs, so the record announces
 * every action in advance.
 */
export const isPublic = (state: string): boolean => isStatus(state)

const historyMax = 200

const actor = createActor(executionMachine, { input: {} as Execution })
/**
 * XState's own `transition` creates a scope for every call, which is most of its cost. This machine only assigns
 * context, so all calls can share one scope.
 */
const scope: AnyActorScope = {
  self: actor,
  system: actor.system,
  logger: () => {},
  id: '',
  sessionId: '',
  defer: () => {},
  stopChild: () => {},
  emit: () => {},
  actionExecutor: () => {},
}

const snapshots = new Map<State, ReturnType<typeof executionMachine.resolveState>>()

function snapshotOf(record: Execution) {
  const state = supportedState(record)
  const resolved = snapshots.get(state) ?? executionMachine.resolveState({ value: state, context: {} as Execution })
  snapshots.set(state, resolved)
  return { ...resolved, context: record }
}

/** Returns the record with one more entry in its history. Only the newest 200 entries are kept. */
export function withHistoryEntry(record: Execution, entry: Omit<Execution['history'][number], 'seq'>): Execution {
  const seq = record.seq + 1
  return { ...record, seq, history: [...record.history, { seq, ...entry }].slice(-historyMax) }
}

/** Returns the record after an event. An event that the record's state does not handle changes nothing. */
export function follow(record: Execution, event: ExecutionEvent): Execution {
  // otherwise XState would let a restored final state follow the root's transitions
  if (isTerminal(record.state)) return record
  const before = snapshotOf(record)
  const after = executionMachine.transition(before, event, scope)
  if (after === before) return record
  const { waiting: _, ...facts } = after.context.facts
  const state = String(after.value)
  const moved: Execution = {
    ...after.context,
    state,
    facts,
    machineVersion: executionMachine.version!,
    createdAt: record.createdAt ?? (after.context.status === null ? null : event.at),
  }
  const isQuiet = state === record.state && event.type === 'step failed' && record.cause?.code === moved.cause?.code
  if (isQuiet) return moved // the same failure again is not news, so it gets no entry in the history
  const note = 'failure' in event ? event.failure.message : null
  return withHistoryEntry(moved, {
    at: event.at,
    event: event.type,
    from: record.state,
    to: state,
    status: moved.status,
    note,
  })
}
