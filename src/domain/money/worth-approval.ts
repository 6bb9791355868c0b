import { amountOf } from './amount'

/** What an operator accepts for so much of a balance, sealed where he was let in. */
export type WorthApproval = { amountOutMin: string; totalReceivedRaw: string; at: number; seal?: string }

type Approved = { worthApproval?: WorthApproval; balance?: { totalReceivedRaw: string } }

/**
 * The least output that is approved for what is routed now. A retry takes along what others left in the account: for
 * more money than an operator has looked at, nothing is.
 */
export const approvedOutMinOf = ({ worthApproval, balance }: Approved): bigint | null =>
  worthApproval && worthApproval.totalReceivedRaw === balance?.totalReceivedRaw
    ? amountOf(worthApproval.amountOutMin)
    : null
