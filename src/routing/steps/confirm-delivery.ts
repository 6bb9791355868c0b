import { amountOf } from '../../domain/amount'
import { type ErrorCode, RoutingError } from '../../domain/error'
import { type Execution, failureOf } from '../../domain/execution'
import type { Hash } from '../../domain/hex'
import { pollMs } from '../../domain/retry'
import type { Aggregator } from '../../ports/aggregator'
import type { ChainClient, Chains } from '../../ports/chain-client'
import type { Step, StepOutcome } from '../advance'
import type { SecondOpinion } from '../second-opinion'
import { type Sending, sentFor } from '../sender'
import { waitedMs } from '../waited-ms'

type Ports = Omit<Sending, 'chain'> & {
  chains: Chains
  aggregators: readonly Aggregator[]
  pollMs: (chainId: Execution['deposit']['chainId']) => number
  secondOpinion?: SecondOpinion
}

const outcomeTimeoutMs = 5_000
/** Longer than this and the order's transaction was replaced, or may have been. */
const replacedAfterMs = 60_000

/** First that the money has left, by the route's own mark on chain; then that it has arrived. Only evidence counts. */
export const confirmDelivery =
  (ports: Ports): Step =>
  async (execution) =>
    execution.facts.spent ? delivered(execution, ports) : mined(execution, ports)

async function mined(execution: Execution, ports: Ports): Promise<StepOutcome> {
  const { deposit, facts } = execution
  const ended = await endOf(execution, { ...ports, chain: ports.chains[deposit.chainId] })
  if (ended && (await isSeconded(ended, execution, ports))) return ended
  const last = facts.transactions?.at(-1)
  const isOld = !last || last.at + replacedAfterMs < ports.now()
  const sender = isOld && last ? await ports.senders.load(last.sender) : null
  const news = sender ? { facts: { transactions: sentFor(execution, sender) } } : {}
  const askAgainInMs = pollMs(waitedMs(execution, 'BLOCK', ports.now), ports.pollMs(deposit.chainId))
  return { ...news, askAgainInMs, waitingFor: 'BLOCK' }
}

/** That much money has left is true when two nodes say so. */
async function isSeconded(ended: StepOutcome, execution: Execution, { secondOpinion }: Ports): Promise<boolean> {
  const spent = 'facts' in ended ? ended.facts?.spent : undefined
  const second = spent && (await secondOpinion?.(execution))
  if (!second) return true
  const { accountSalt, routeId } = execution.facts.order!
  return (await second.routeUsed(accountSalt, routeId, spent.block))?.hash === spent.hash
}

/**
 * How an order ends, read at one confirmed block: its route is used, or its time is over and it is not; else null.
 * A receipt decides neither: another order of the same route may have won. It only tells a revert from a lapse.
 */
export async function endOf(execution: Execution, sending: Sending): Promise<StepOutcome | null> {
  const { chain, senders, relayers } = sending
  const order = execution.facts.order!
  const { number, time } = await chain.confirmed()
  const used = await chain.routeUsed(order.accountSalt, order.routeId, number)
  if (used) {
    const spent = { hash: used.hash, block: used.block, amountRaw: String(used.spentRaw), at: sending.now() }
    return { type: 'transaction mined', facts: { spent } }
  }
  if (time <= order.deadline) return null
  const sender = await senders.load(relayers.keyFor(order.chainId, order.routeId).id)
  const sent = sentFor(execution, sender).map(({ hash }) => hash)
  return failed((await anyRevertedInTime(sent, order.deadline, chain)) ? 'TRANSACTION_REVERTED' : 'ORDER_LAPSED')
}

async function anyRevertedInTime(sent: Hash[], deadline: number, chain: ChainClient) {
  for (const hash of sent) {
    const receipt = await chain.receipt(hash)
    if (receipt && !receipt.succeeded && receipt.time <= deadline) return true
  }
  return false
}

async function delivered({ deposit, facts }: Execution, ports: Ports): Promise<StepOutcome> {
  const { chains, aggregators, now } = ports
  const { order, route, spent, intent } = facts
  const { targetChainId: toChainId, targetTokenAddress: token, targetAddress: recipient } = intent!
  const wait: StepOutcome = {
    askAgainInMs: pollMs(now() - spent!.at, ports.pollMs(toChainId)),
    waitingFor: route!.kind === 'BRIDGE' ? 'PROVIDER' : 'BLOCK',
  }
  let hash = spent!.hash
  if (route!.kind === 'BRIDGE') {
    const aggregator = aggregators.find(({ name }) => name === route!.provider)
    if (!aggregator) return wait
    const sent = { hash, fromChainId: deposit.chainId, toChainId, reference: route!.reference }
    const outcome = await aggregator.outcome(sent, AbortSignal.timeout(outcomeTimeoutMs))
    if (outcome.kind === 'PENDING') return wait
    if (outcome.kind === 'RETURNED') {
      // Said, not seen: it is waited for until the chain shows it. Without a hash there is nothing to look for.
      const { hash: back } = outcome
      if (back !== null && !(await chains[deposit.chainId].receipt(back))?.succeeded) return wait
      return failed('FUNDS_RETURNED', { returned: { hash: back } })
    }
    hash = outcome.hash
    if (outcome.kind === 'DELIVERED_OTHERWISE') return failed('PARTIAL_DELIVERY')
  }
  const arrived = await chains[toChainId].arrived(hash, token, recipient)
  if (!arrived) return wait
  const delivery = { hash, chainId: toChainId, token, amountRaw: String(arrived.amountRaw), block: arrived.block }
  if (arrived.amountRaw < amountOf(order!.intent.minOut)) return failed('PARTIAL_DELIVERY', { delivery })
  return { type: 'funds delivered', facts: { delivery } }
}

const failed = (code: ErrorCode, facts: Execution['facts'] = {}): StepOutcome => ({
  type: 'order failed',
  facts,
  failure: failureOf(new RoutingError(code)),
})
