import type { IntentSnapshot } from '../deposit/deposit-intent'
import { amountOf } from '../money/amount'
import type { Deposit, Execution } from './execution'
import { laneId } from './lane'

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
