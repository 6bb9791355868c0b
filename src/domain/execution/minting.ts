import type { Address, Hash, Hex } from '../chain/hex'

/** Why Circle does not attest a fast transfer early. OTHER is a reason that we do not know yet. */
export type DelayReason = 'FEE_TOO_LOW' | 'AMOUNT_TOO_LARGE' | 'ALLOWANCE_USED_UP' | 'OTHER'

/** A transaction that was sent, by a relayer's key and nonce, and how many orders it carries. */
export type Sent = { hash: Hash; nonce: number; sender: string; at: number; orders?: number }

/** What is known of the mint of what an execution burnt. */
export type Minting = {
  nonce: Hash
  id: Hash
  attestedAt: number
  transactions: Sent[]
  /** The call that anybody may send. Absent in records that an older release wrote. */
  call?: { target: Address; data: Hex }
  /** When the destination last said that it would refuse the call. */
  refusedAt?: number
}
