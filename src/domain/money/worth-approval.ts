import { amountOf } from './amount'

/**
 * The least output that an operator accepts for a given balance, sealed by the process that authenticated the operator.
 */
export type WorthApproval = { amountOutMin: string; totalReceivedRaw: string; at: number; seal?: string }

type Approved = { worthApproval?: WorthApproval; balance?: { totalReceivedRaw: string } }

/**
 * Returns the least output that is approved for what is routed now; null when there is none. A retry may take along
 * what other deposits left in the account, and an approval does not cover more money than the operator saw.
 */
export const approvedOutMinOf = ({ worthApproval, balance }: Approved): bigint | null =>
  worthApproval && worthApproval.totalReceivedRaw === balance?.totalReceivedRaw
    ? amountOf(worthApproval.amountOutMin)
    : null
