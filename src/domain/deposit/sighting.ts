import type { ChainId } from '../chain/chain'
import type { Address, Hash } from '../chain/hex'
import type { Detector } from '../execution/execution'

/**
 * An unconfirmed transfer to one of our accounts. It is shown but not routed. After confirmation, the execution's
 * record begins under the same id.
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
  /** When its block was dropped, the newest last. Each time is an event. Absent in older records. */
  orphanedAt?: readonly number[]
  updatedAt: number
}

/**
 * A sighting as shown. `movedTo` is set if its block was dropped and its transaction mined again: the id of the deposit
 * that now has the payment.
 */
export type MovedSighting = Sighting & { movedTo?: string | null }

type Payment = Pick<Sighting, 'account' | 'token' | 'amountRaw'>

/** Whether two transfers of one transaction, seen in two blocks, are the same payment, at any position in the block. */
const isSamePayment = (one: Payment, other: Payment): boolean =>
  one.amountRaw === other.amountRaw &&
  one.account.toLowerCase() === other.account.toLowerCase() &&
  one.token.toLowerCase() === other.token.toLowerCase()

type TransferAmount = { to: Address; token: Address; amountRaw: bigint }

/** Whether a transfer of the same transaction, in its current block, is that payment. */
export const isPaidBy = (payment: Payment, { to, token, amountRaw }: TransferAmount): boolean =>
  isSamePayment(payment, { account: to, token, amountRaw: String(amountRaw) })

type Recorded = Payment & Pick<Sighting, 'id' | 'chainId'> & { txHash: Hash | null }

/** Returns the id of the deposit that now has a dropped block's payment, or null if no record shows it. */
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
