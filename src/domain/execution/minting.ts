import type { Address, Hash, Hex } from '../chain/hex'

/** Why Circle does not attest a fast transfer early. OTHER is a reason that we do not know yet. */
export type DelayReason = 'FEE_TOO_LOW' | 'AMOUNT_TOO_LARGE' | 'ALLOWANCE_USED_UP' | 'OTHER'

/** A sent transaction with its relayer's key and nonce, and the number of orders it carries. */
export type Sent = { hash: Hash; nonce: number; sender: string; at: number; orders?: number }

/** State of the mint of an execution's burned money. */
export type Minting = {
  nonce: Hash
  id: Hash
  attestedAt: number
  transactions: Sent[]
  /** Call that anyone can send. Absent in records that an older release wrote. */
  call?: { target: Address; data: Hex }
  /** When the destination last reported that it would refuse the call. */
  refusedAt?: number
}
