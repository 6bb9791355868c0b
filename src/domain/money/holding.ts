import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'
import type { MovedSighting } from '../deposit/sighting'
import type { UnsupportedDeposit } from '../deposit/unsupported'
import type { Execution } from '../execution/execution'
import { successorOf } from '../execution/lane'
import { isToBeMinted } from '../execution/mint'
import { neverArrived } from '../execution/status'
import { arrivedRawOf } from './amount'

export const holders = ['NONE', 'SENDER', 'DEPOSIT_ACCOUNT', 'PROVIDER', 'RECIPIENT'] as const
export type Holder = (typeof holders)[number]

/** Money that a record claims, and its location as of `block`. */
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

/** Whether the money has left the account and no bridge has refunded it. */
export const hasLeft = ({ facts, cause }: Pick<Execution, 'facts' | 'cause'>): boolean =>
  facts.spent !== undefined && cause?.code !== 'FUNDS_RETURNED'

/**
 * Returns where a record's money is; this rule lives here only. Exactly one record claims each unit of money. Money
 * that lies together in an account belongs to the deposits that brought it, until one of them leaves with all of it
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
    // Burned money has no holder until it is minted.
    const address = isToBeMinted(execution) ? null : (facts.order?.target ?? facts.route?.call?.target ?? null)
    return { ...source, holder: 'PROVIDER', address, amountRaw: facts.fees?.amountForSwapRaw ?? spent.amountRaw }
  }
  // Money that a bridge refunded is a separate deposit, in the token and amount of the refund.
  if (spent) return nothing
  if (status === null || !neverArrived(status))
    return { ...source, holder: 'DEPOSIT_ACCOUNT', address: deposit.account, amountRaw }
  // This deposit never arrived. Money in the account belongs to another deposit of the lane.
  if (cause?.code !== 'DEPOSIT_NOT_ON_CHAIN') return nothing
  return { ...source, holder: 'SENDER', address: deposit.fromAddress, amountRaw }
}

/**
 * Returns where the money of a deposit without an execution is. For an unlisted token, the amount is the sum of its
 * logged transfers, less the routed part.
 */
export function holdingOfUnrouted(seen: MovedSighting | UnsupportedDeposit): Holding {
  const { chainId, token, amountRaw, block, account, fromAddress, stage } = seen
  const there = { chainId, token, amountRaw, block }
  if (stage === 'ORPHANED' && seen.movedTo) return { ...there, holder: 'NONE', address: null, amountRaw: '0' }
  if (stage === 'ORPHANED') return { ...there, holder: 'SENDER', address: fromAddress }
  if (stage === 'UNSUPPORTED' && seen.successorId !== null) return { ...there, holder: 'NONE', address: null }
  return { ...there, holder: 'DEPOSIT_ACCOUNT', address: account }
}
