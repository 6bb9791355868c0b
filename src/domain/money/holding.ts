import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'
import type { SightingSeen } from '../deposit/sighting'
import type { UnsupportedSeen } from '../deposit/unsupported-seen'
import type { Execution } from '../execution/execution'
import { successorOf } from '../execution/lane'
import { isToBeMinted } from '../execution/mint'
import { neverCame } from '../execution/status'
import { arrivedRawOf } from './rounding'

export const holders = ['NONE', 'SENDER', 'DEPOSIT_ACCOUNT', 'PROVIDER', 'RECIPIENT'] as const
export type Holder = (typeof holders)[number]

/** What a record claims of the money, and where that money is. `block` is the block at which this was true. */
export type Holding = {
  holder: Holder
  address: Address | null
  chainId: ChainId
  token: Address
  amountRaw: string
  block: number
}

type Record = Pick<
  Execution,
  'deposit' | 'facts' | 'status' | 'cause' | 'redrivenBy' | 'continuedBy' | 'takenBy' | 'completedAt'
>

/** Whether somebody else has the money by now: it left the account, and no bridge has sent it back. */
export const hasLeft = ({ facts, cause }: Pick<Execution, 'facts' | 'cause'>): boolean =>
  facts.spent !== undefined && cause?.code !== 'FUNDS_RETURNED'

/**
 * Returns where a record's money is; this rule lives here only. Every unit of money is claimed by exactly one record.
 * What lies together in an account belongs to the deposits that brought it, until one of them has left with it
 * (extensions 4.3; decision 44).
 */
export function holdingOf(execution: Record): Holding {
  const { deposit, facts, status, cause } = execution
  const { spent, delivery, intent } = facts
  const { chainId, token } = deposit
  const amountRaw = String(arrivedRawOf(execution))
  const block = spent?.block ?? facts.balance?.block ?? deposit.block
  const source = { chainId, token, block }
  if (delivery && intent) {
    const { chainId, token, amountRaw, block } = delivery
    return { holder: 'RECIPIENT', address: intent.targetAddress, chainId, token, amountRaw, block }
  }
  const nothing: Holding = { ...source, holder: 'NONE', address: null, amountRaw: '0' }
  if (successorOf(execution)) return nothing
  if (spent && hasLeft(execution)) {
    // What was burnt is held by nobody until it is minted.
    const address = isToBeMinted(execution) ? null : (facts.order?.target ?? facts.route?.call?.target ?? null)
    return { ...source, holder: 'PROVIDER', address, amountRaw: facts.fees?.amountForSwapRaw ?? spent.amountRaw }
  }
  // What a bridge sent back is a deposit of its own, in whatever token and amount it came back.
  if (spent) return nothing
  if (status === null || !neverCame(status))
    return { ...source, holder: 'DEPOSIT_ACCOUNT', address: deposit.account, amountRaw }
  // Money that is in the account although this deposit's is not belongs to another deposit, as the lane's book says.
  if (cause?.code !== 'DEPOSIT_NOT_ON_CHAIN') return nothing
  return { ...source, holder: 'SENDER', address: deposit.fromAddress, amountRaw }
}

/**
 * Returns where the money of a deposit without an execution is. For an unlisted token, the amount is what its transfers
 * say, less what is routed of it.
 */
export function holdingSeen(seen: SightingSeen | UnsupportedSeen): Holding {
  const { chainId, token, amountRaw, block, account, fromAddress, stage } = seen
  const there = { chainId, token, amountRaw, block }
  if (stage === 'ORPHANED' && seen.movedTo) return { ...there, holder: 'NONE', address: null, amountRaw: '0' }
  if (stage === 'ORPHANED') return { ...there, holder: 'SENDER', address: fromAddress }
  if (stage === 'UNSUPPORTED' && seen.successorId !== null) return { ...there, holder: 'NONE', address: null }
  return { ...there, holder: 'DEPOSIT_ACCOUNT', address: account }
}
