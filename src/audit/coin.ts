import { type Fault, faultsOf } from './invariants'

/** An address's native coin and number of transactions at a block. */
export type Coin = { balanceRaw: bigint; nonces: number }

type Relayed = {
  before: Coin
  after: Coin
  /** Its transactions that carried routes, and their cost in wei with native fees. */
  transactions: number
  costRaw: bigint
  /** The most that any other transaction costs: a mint, a filled gap, or a rejected order. */
  otherMostRaw: bigint
}

/**
 * A relayer's coin pays for its transactions and nothing else. Top-ups leave no log, so more than that may be there. A
 * rollup may charge a fee that no receipt names, so a tenth of the cost is left open.
 */
export function relayerCoinFaults({ before, after, transactions, costRaw, otherMostRaw }: Relayed): Fault[] {
  const others = after.nonces - before.nonces - transactions
  const goneRaw = before.balanceRaw - after.balanceRaw - costRaw
  const mostRaw = others > 0 ? BigInt(others) * otherMostRaw : 0n
  return faultsOf([
    goneRaw <= mostRaw + costRaw / 10n,
    `${goneRaw} wei left, beyond ${costRaw} for ${transactions} transactions with routes and ${mostRaw} for ${Math.max(others, 0)} others.`,
  ])
}

type Collected = { before: Coin; after: Coin; feesRaw: bigint }

/** A collector that sent no transaction holds every fee. Code at its address may pay out without one. */
export const collectorCoinFaults = ({ before, after, feesRaw }: Collected): Fault[] =>
  faultsOf([
    before.nonces !== after.nonces || after.balanceRaw >= before.balanceRaw + feesRaw,
    `The fees are ${feesRaw} wei, and only ${after.balanceRaw - before.balanceRaw} more is there, although it sent no transaction.`,
  ])
