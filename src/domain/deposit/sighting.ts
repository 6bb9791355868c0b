import type { ChainId } from '../chain/chain'
import type { Address, Hash } from '../chain/hex'
import type { Detector } from '../execution/execution'

/**
 * A transfer to one of our accounts that was seen on a chain and is not confirmed yet. It is shown and not routed. Once
 * it is confirmed, the execution's record begins under the same id.
 */
export type Sighting = {
  id: string
  version: number
  organizationId: string
  userId: string
  account: Address
  chainId: ChainId
  token: Address
  amountRaw: string
  fromAddress: Address | null
  txHash: Hash
  logIndex: number
  block: number
  blockHash: Hash
  detectedBy: Detector[]
  detectedAt: number
  stage: 'CONFIRMING' | 'CONFIRMED' | 'ORPHANED'
  updatedAt: number
}

/**
 * A sighting as it is shown. `movedTo` is set where its block was dropped and its transaction was mined again: the id
 * of the deposit that the same payment is now.
 */
export type SightingSeen = Sighting & { movedTo?: string | null }

type Payment = Pick<Sighting, 'account' | 'token' | 'amountRaw'>

/** Whether two transfers of one transaction, seen in two blocks, are one payment, at whichever place of the block. */
const isSamePayment = (one: Payment, other: Payment): boolean =>
  one.amountRaw === other.amountRaw &&
  one.account.toLowerCase() === other.account.toLowerCase() &&
  one.token.toLowerCase() === other.token.toLowerCase()

type Paid = { to: Address; token: Address; amountRaw: bigint }

/** Whether a transfer of the same transaction, as a block shows it now, is that payment. */
export const isPaidBy = (seen: Payment, { to, token, amountRaw }: Paid): boolean =>
  isSamePayment(seen, { account: to, token, amountRaw: String(amountRaw) })

type Recorded = Payment & Pick<Sighting, 'id' | 'chainId'> & { txHash: Hash | null }

/** Returns the id of the deposit that has the payment of a dropped block now, or null while no record shows it. */
export function movedTo(dropped: Sighting, records: readonly Recorded[]): string | null {
  const again = records.filter(
    (other) =>
      other.id !== dropped.id &&
      other.txHash === dropped.txHash &&
      other.chainId === dropped.chainId &&
      isSamePayment(dropped, other),
  )
  return again.map(({ id }) => id).toSorted()[0] ?? null
}
