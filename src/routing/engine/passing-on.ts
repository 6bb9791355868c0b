import type { IntentSnapshot } from '../../domain/deposit/deposit-intent'
import { RoutingError } from '../../domain/error'
import type { Deposit, Execution } from '../../domain/execution/execution'
import { laneId } from '../../domain/execution/lane'
import { pollMs, waitedMs } from '../../domain/execution/retry'
import { amountOf } from '../../domain/money/amount'
import type { Executions } from '../../ports/executions'
import type { StepOutcome } from './step'

/**
 * Most times that our own deliveries pass the same money from one deposit address to another, across organizations.
 * Longer paths have no known use. Addresses that lead to each other would pass money on until fees consume it.
 */
export const passesMax = 3

/** Returns the lane that an intent pays into if its recipient is a deposit address. */
export const laneLedTo = ({ targetAddress, targetChainId, targetTokenAddress }: IntentSnapshot): string =>
  laneId(targetAddress, targetChainId, targetTokenAddress)

/** Largest delivery, in percent of the expected amount. */
const surplusPercent = 110n
/** Longest time between a delivery and the discovery of its balance without a transaction. */
const foundWithinMs = 60 * 60_000

const hashesOf = ({ facts }: Execution) => {
  const { transactions = [], dropped = [], mint, spent, delivery } = facts
  const sent = [...transactions, ...dropped, ...(mint?.transactions ?? [])]
  return [...sent.map(({ hash }) => hash), spent?.hash, delivery?.hash]
}

/**
 * Whether an execution that leads to a deposit's lane delivered the deposit. MAYBE: it is on its way there, and its
 * delivery cannot be identified yet.
 */
export function hasDelivered(before: Execution, { txHash, block, amountRaw, detectedAt }: Deposit) {
  const { facts, completedAt } = before
  const { delivery, order, route } = facts
  const amount = amountOf(amountRaw)
  if (txHash !== null && hashesOf(before).includes(txHash)) return 'YES'
  if (delivery && txHash === null) {
    const isNear = completedAt === null || Math.abs(detectedAt - completedAt) <= foundWithinMs
    return isNear && delivery.block <= block && amountOf(delivery.amountRaw) <= amount ? 'YES' : 'NO'
  }
  if (delivery || completedAt !== null || !order || !route) return 'NO'
  const isLikely =
    amount >= amountOf(route.amountOutMin) && amount * 100n <= amountOf(route.amountOutExpected) * surplusPercent
  return isLikely ? 'MAYBE' : 'NO'
}

type Ports = { executions: Pick<Executions, 'load' | 'leadingTo'>; now: () => number }

const leastWaitMs = 2_000
/** Largest number of executions followed for each step back. */
const breadthMax = 16

/** Returns the executions that delivered one of these deposits or might have; with `isSure`, only those that did. */
async function deliverersOf(deposits: Execution[], isSure: boolean, { executions }: Ports): Promise<Execution[]> {
  const found = new Map<string, Execution>()
  for (const each of deposits) {
    // Money that a bridge returned is the money that was sent out.
    let { deposit, refundOf } = each
    while (refundOf !== null) {
      const sent = await executions.load(refundOf)
      if (!sent) break
      ;({ deposit, refundOf } = sent)
    }
    const leading = await executions.leadingTo(deposit.lane, deposit.txHash)
    const sure = leading.filter((one) => hasDelivered(one, deposit) === 'YES')
    const may = isSure || sure.length > 0 ? sure : leading.filter((one) => hasDelivered(one, deposit) === 'MAYBE')
    for (const one of may) found.set(one.id, one)
  }
  return [...found.values()].slice(0, breadthMax)
}

/** Whether our own deliveries have already passed a deposit's money on too often. */
async function isOverdone(execution: Execution, isSure: boolean, ports: Ports): Promise<boolean> {
  let way = [execution]
  for (let passes = 0; passes <= passesMax; passes++) {
    way = await deliverersOf(way, isSure, ports)
    if (way.length === 0) return false
  }
  return true
}

/**
 * Stops money that circulates between deposit addresses. The passes are counted from our own deliveries, across
 * organizations, so no organization learns the intents of another.
 *
 * @returns The wait while the deposit's deliverer is uncertain and one candidate is at the limit; null if the deposit
 * may go on.
 * @throws {RoutingError} PASSED_ON_TOO_OFTEN
 */
export async function passBlocker(execution: Execution, ports: Ports): Promise<StepOutcome | null> {
  // An operator who re-drives it has decided that it may go on.
  if (execution.redriveOf !== null || !(await isOverdone(execution, false, ports))) return null
  if (await isOverdone(execution, true, ports)) throw new RoutingError('PASSED_ON_TOO_OFTEN')
  return { askAgainInMs: pollMs(waitedMs(execution, 'LANE', ports.now), leastWaitMs), waitingFor: 'LANE' }
}
