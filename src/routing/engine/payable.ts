import { type ChainId, chainOf } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { Unspendable } from '../../domain/deposit/unspendable'
import { type ErrorCode, RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { pollMs, waitedMs } from '../../domain/execution/retry'
import { amountOf } from '../../domain/money/amount'
import { NotSeconded, nodesDiffer, TemporarilyUnavailable } from '../../domain/unavailable'
import type { ChainClient, SecondNode } from '../../ports/chain-client'
import type { StepOutcome } from './step'

/** A payment to a recipient. The amount is null while it is unknown: the trial then uses some amount. */
export type Payment = { chainId: ChainId; token: Address; recipient: Address; amountRaw: bigint | null }

/**
 * Why a payment cannot be delivered. UNSPENDABLE: nothing can spend from the recipient. BLOCKED: the token's own list
 * names the recipient. REFUSED: the recipient does not accept it. PAUSED: the token's issuer has stopped all transfers.
 */
export type PaymentObjection = 'UNSPENDABLE' | 'BLOCKED' | 'REFUSED' | 'PAUSED'

/**
 * Tries a payment on its chain. Returns null if it is possible. Fails if the chain cannot be read, or if its nodes
 * differ.
 */
export type Payable = (payment: Payment) => Promise<PaymentObjection | null>

type Ports = { chains: Record<ChainId, Pick<ChainClient, 'acceptance' | 'second'>>; unspendable: Unspendable }

/**
 * Builds the check of intents, previews and orders that runs before money moves. An objection can end a deposit, so on
 * a chain with several nodes it counts only if two nodes report it.
 */
export const payable =
  ({ chains, unspendable }: Ports): Payable =>
  async ({ chainId, token, recipient, amountRaw }) => {
    if (unspendable(recipient) !== null) return 'UNSPENDABLE'
    const { second } = chains[chainId]
    const answer = await chains[chainId].acceptance(token, recipient, amountRaw)
    if (answer === 'ACCEPTED' || answer === 'UNTRIED') return null
    if (!second) return answer
    const other = await second
      .acceptance(token, recipient, amountRaw)
      .catch((error) => assureThere(second, chainId, error))
    if (other !== answer) throw nodesDiffer(chainId, 'whether a payment is possible')
    return answer
  }

/**
 * Rethrows the failure of a second node's trial if that node serves other requests.
 *
 * @throws {TemporarilyUnavailable} if it serves none. An outage then does not use up the patience for a trial.
 */
async function assureThere(second: SecondNode, chainId: ChainId, error: unknown): Promise<never> {
  await second.confirmed().catch((cause) => {
    throw new TemporarilyUnavailable(`a second node of ${chainOf(chainId).name}`, nodePollMs, 'NODE', { cause })
  })
  throw error
}

/** The errors of payments that stay impossible. */
const recipientErrors = {
  UNSPENDABLE: 'RECIPIENT_UNSPENDABLE',
  BLOCKED: 'RECIPIENT_BLOCKED',
  REFUSED: 'RECIPIENT_REFUSES',
} as const satisfies Record<Exclude<PaymentObjection, 'PAUSED'>, ErrorCode>

/** The payment that a deposit's route is expected to make. */
const paymentOf = ({ facts }: Execution): Payment => {
  const { targetChainId: chainId, targetTokenAddress: token, targetAddress: recipient } = facts.intent!
  const expected = facts.route?.amountOutExpected
  return { chainId, token, recipient, amountRaw: expected === undefined ? null : amountOf(expected) }
}

/**
 * Throws if a deposit's payment cannot be delivered at all. If the chain does not respond, this does not throw: the
 * payment is tried again before an order is signed.
 *
 * @throws {RoutingError} RECIPIENT_UNSPENDABLE, RECIPIENT_BLOCKED or RECIPIENT_REFUSES
 */
export async function assurePayable(execution: Execution, payable: Payable): Promise<void> {
  const objection = await payable(paymentOf(execution)).catch(() => null)
  if (objection !== null && objection !== 'PAUSED') throw new RoutingError(recipientErrors[objection])
}

/** Whether the node failed, instead of the payment or the order that it should simulate. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof NotSeconded || (error instanceof RoutingError && error.code.startsWith('RPC_'))

const tokenPollMs = 30_000
const nodePollMs = 2_000
/**
 * Longest wait for a trial that fails on nodes that answer every other request. Otherwise a trial that no node can run
 * would hold a deposit permanently.
 */
const patienceMs = 10 * 60_000
/** Longest wait after a revert. A failed step ends a wait, so nodes that fail often would begin it again each time. */
const revertPatienceMs = 30 * 60_000

/** Whether nodes that fail a trial may still hold the deposit. */
export function mayWait(execution: Execution, now: () => number): boolean {
  const { receipt } = execution.facts
  const isLate = receipt?.succeeded === false && now() - receipt.at >= revertPatienceMs
  return !isLate && waitedMs(execution, 'NODE', now) < patienceMs
}

/** Returns the wait for nodes that fail a trial. */
export const nodeWait = (execution: Execution, now: () => number) =>
  ({ retryInMs: pollMs(waitedMs(execution, 'NODE', now), nodePollMs), waitingFor: 'NODE' }) as const

/**
 * Returns the wait if a deposit's payment is not possible now or its trial failed; null if it may be signed.
 *
 * @throws {RoutingError} RECIPIENT_UNSPENDABLE, RECIPIENT_BLOCKED or RECIPIENT_REFUSES
 */
export async function paymentBlocker(
  execution: Execution,
  { payable, now }: { payable: Payable; now: () => number },
): Promise<StepOutcome | null> {
  try {
    const objection = await payable(paymentOf(execution))
    if (objection === 'PAUSED') return { retryInMs: tokenPollMs, waitingFor: 'TOKEN' }
    if (objection === null) return null
    throw new RoutingError(recipientErrors[objection])
  } catch (error) {
    if (!isUnanswered(error)) throw error
    return mayWait(execution, now) ? nodeWait(execution, now) : null
  }
}

type Trying = { chain: Pick<ChainClient, 'acceptance' | 'second'>; now: () => number }
type Trial = Parameters<ChainClient['acceptance']>

/**
 * Returns how a token's issuer stops a transfer, as one node reports; null if no node reports a stop. A stop of the
 * whole token comes before one of a party.
 *
 * @throws {TemporarilyUnavailable} while a node cannot try it, for ten minutes at most if it serves other requests.
 */
async function stopOf(
  trial: Trial,
  execution: Execution,
  { chain, now }: Trying,
): Promise<'PAUSED' | 'BLOCKED' | null> {
  const { chainId } = execution.deposit
  const { second } = chain
  const tries = [() => chain.acceptance(...trial)]
  if (second) tries.push(() => second.acceptance(...trial).catch((failure) => assureThere(second, chainId, failure)))
  let cause: unknown = null
  const answers: unknown[] = []
  for (const attempt of tries) {
    const answer = await attempt().catch((error) => {
      if (!isUnanswered(error)) throw error
      cause = error
      return null
    })
    if (answer === 'PAUSED') return answer
    answers.push(answer)
  }
  if (answers.includes('BLOCKED')) return 'BLOCKED'
  if (cause === null || !mayWait(execution, now)) return null
  throw new NotSeconded(chainId, nodePollMs, { cause })
}

/**
 * Returns whom of an order on its own chain a token's issuer has stopped: everyone (`TOKEN`), our account or the
 * recipient. Null if none. One node is enough, because the deposit then waits or tries again.
 */
export async function issuerStop(
  execution: Execution,
  trying: Trying,
): Promise<'TOKEN' | 'ACCOUNT' | 'RECIPIENT' | null> {
  const { chainId, token, account, amountRaw } = execution.deposit
  const stopHere = await stopOf([token, account, amountOf(amountRaw)], execution, trying)
  if (stopHere) return stopHere === 'PAUSED' ? 'TOKEN' : 'ACCOUNT'
  const payment = paymentOf(execution)
  if (payment.chainId !== chainId) return null
  const stop = await stopOf([payment.token, payment.recipient, payment.amountRaw], execution, trying)
  return stop && (stop === 'PAUSED' ? 'TOKEN' : 'RECIPIENT')
}

/** Returns the wait for the end of an issuer's stop. */
export const tokenWait = (execution: Execution, now: () => number) =>
  ({ retryInMs: pollMs(waitedMs(execution, 'TOKEN', now), tokenPollMs), waitingFor: 'TOKEN' }) as const

/**
 * Returns the wait if the chain refused a transfer because an issuer has stopped a token.
 *
 * @throws the error otherwise, also if the token's own list names our account, which hardly ever ends; or
 * RECIPIENT_BLOCKED if two nodes report that it names the recipient.
 */
export async function waitIfStopped(
  error: unknown,
  execution: Execution,
  { chains, now }: { chains: Ports['chains']; now: () => number },
): Promise<StepOutcome> {
  if (!(error instanceof RoutingError) || error.code !== 'SIMULATION_REVERTED') throw error
  const stopped = await issuerStop(execution, { chain: chains[execution.deposit.chainId], now })
  if (stopped === 'TOKEN') return tokenWait(execution, now)
  const judge = payable({ chains, unspendable: () => null })
  const blocked = stopped === 'RECIPIENT' && (await paymentBlocker(execution, { payable: judge, now }))
  if (blocked) return blocked
  throw error
}
