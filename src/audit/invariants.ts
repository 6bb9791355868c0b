import type { Status } from '../domain/execution/status'
import type { ExecutedRoute, FeeSplit, RecordedRoute } from '../ports/audit'

/** A broken rule, as a plain sentence. An invariant that holds returns none. */
export type Fault = string

export const faultsOf = (...rules: readonly [holds: boolean, fault: Fault][]): Fault[] =>
  rules.filter(([holds]) => !holds).map(([, fault]) => fault)

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/**
 * Where the money of an execution is, by its status alone. OPEN: still ours to move. DELIVERED: it left and arrived.
 * ENDED: it is where it was when the execution ended. ABSENT: the deposit brought nothing.
 */
const moneyIn = {
  PENDING: 'OPEN',
  RUNNING: 'OPEN',
  FAILED: 'OPEN',
  SUCCESS: 'DELIVERED',
  DEAD_LETTER: 'ENDED',
  TOKEN_BLACKLISTED: 'ENDED',
  FAILED_UNROUTABLE_MAIN: 'ENDED',
  FAILED_INVALID_INPUT: 'ENDED',
  FAILED_NO_FUNDS: 'ABSENT',
  FAILED_INSUFFICIENT_AFTER_FEES: 'ENDED',
  QUOTA_EXCEEDED: 'ENDED',
} as const satisfies Record<Status, string>

/** @param status Null before the first status. */
export const moneyOf = (status: Status | null): (typeof moneyIn)[Status] => (status === null ? 'OPEN' : moneyIn[status])

const mayFollow: Record<string, readonly string[]> = {
  none: ['PENDING', 'FAILED'],
  PENDING: ['RUNNING', 'FAILED'],
  RUNNING: ['SUCCESS', 'FAILED'],
  FAILED: ['RUNNING'],
}

/** A status follows its predecessor, and nothing follows an end. An unfinished execution may end in any failure. */
export function statusFaults(before: Status | null, after: Status | null): Fault[] {
  const [from, to] = [before ?? 'none', after ?? 'none']
  const isFailure = moneyOf(after) !== 'OPEN' && after !== 'SUCCESS'
  const mayMove = from === to || mayFollow[from]?.includes(to) === true || (isFailure && moneyOf(before) === 'OPEN')
  return faultsOf([mayMove, `The status moved from ${from} to ${to}.`])
}

/** Gas comes first, then the protocol's share up to the rest, and the parts are the whole. */
export function splitFaults(fees: FeeSplit, protocolFeeBps: number, gasFeeMostRaw?: bigint): Fault[] {
  const [total, gas] = [BigInt(fees.totalReceivedRaw), BigInt(fees.gasFeeRaw)]
  const share = (total * BigInt(protocolFeeBps)) / 10_000n
  const left = total > gas ? total - gas : 0n
  const taken = share < left ? share : left
  const effective = BigInt(fees.protocolFeeEffective)
  return faultsOf(
    [gas >= 0n && (gasFeeMostRaw === undefined || gas <= gasFeeMostRaw), `The gas fee of ${gas} is too high.`],
    [
      BigInt(fees.protocolFeeRaw) === share && effective === taken,
      `The protocol fee is ${effective}, and ${protocolFeeBps} basis points of ${total} after gas are ${taken}.`,
    ],
    [BigInt(fees.protocolFeeForgiven) === share - taken, 'The forgiven part of the protocol fee is wrong.'],
    [
      BigInt(fees.amountForSwapRaw) === total - effective - gas,
      `The fees and the routed amount are not the ${total} received.`,
    ],
  )
}

/** The record states the same about its route as the chain. Only an unfinished record can still lack it. */
export function departureFaults(record: RecordedRoute, left: ExecutedRoute): Fault[] {
  const { spentRaw, verifiedRaw, protocolFeeRaw, gasFeeRaw, recipient, status } = record
  return faultsOf(
    [spentRaw !== null || moneyOf(status) === 'OPEN', `${left.spentRaw} left, and the ended record does not show it.`],
    [spentRaw === null || spentRaw === left.spentRaw, `${left.spentRaw} left, and the record shows ${spentRaw}.`],
    [
      verifiedRaw === null || left.spentRaw <= verifiedRaw,
      `${left.spentRaw} left, more than the verified balance of ${verifiedRaw}.`,
    ],
    [
      (protocolFeeRaw ?? 0n) === left.protocolFeeRaw,
      `The chain took a protocol fee of ${left.protocolFeeRaw}, and the record shows ${protocolFeeRaw}.`,
    ],
    [
      (gasFeeRaw ?? 0n) === left.gasFeeRaw,
      `The chain took a gas fee of ${left.gasFeeRaw}, and the record shows ${gasFeeRaw}.`,
    ],
    [
      recipient !== null && isSame(recipient, left.recipient),
      `The money was sent to ${left.recipient}, and the record names ${recipient}.`,
    ],
  )
}

/** Nothing happens twice: no route is used twice, no transfer proves two deliveries. */
export function repeatFaults(ids: Iterable<string>, what: string): Fault[] {
  const [seen, twice] = [new Set<string>(), new Set<string>()]
  for (const id of ids) (seen.has(id) ? twice : seen).add(id)
  return [...twice].map((id) => `${what} ${id} occurs twice.`)
}

/** A token that counts shares (stETH, aTokens) rounds a balance by some units, at most a millionth of it. */
export const roundingMostRaw = (movedRaw: bigint): bigint => (movedRaw < 10_000_000n ? movedRaw / 1_000_000n : 10n)

type Account = { broughtRaw: bigint; leftRaw: bigint; heldRaw: bigint; roundingRaw: bigint }

/** An account holds the amounts that arrived, less the amounts that left. */
export function balanceFaults({ broughtRaw, leftRaw, heldRaw, roundingRaw }: Account): Fault[] {
  const expectedRaw = broughtRaw - leftRaw
  const differenceRaw = heldRaw - expectedRaw
  const isRounding = (differenceRaw < 0n ? -differenceRaw : differenceRaw) <= roundingRaw
  const kind = differenceRaw < 0n ? 'missing' : 'unexplained'
  const amount = differenceRaw < 0n ? -differenceRaw : differenceRaw
  return faultsOf([
    isRounding,
    `The account holds ${heldRaw}, and its records explain ${expectedRaw}: ${amount} ${kind}.`,
  ])
}

/** The postings of a ledger entry add up to zero. */
export const entryFaults = (postings: readonly { amountRaw: bigint }[]): Fault[] => {
  const sum = postings.reduce((total, { amountRaw }) => total + amountRaw, 0n)
  return faultsOf([sum === 0n, `The postings add up to ${sum}.`])
}
