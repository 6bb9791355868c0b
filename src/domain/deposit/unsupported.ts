import type { ChainId } from '../chain/chain'
import type { Address, Hash } from '../chain/hex'
import { type Detector, depositIdOf } from '../execution/execution'
import { amountMax, amountOf } from '../money/amount'

/** One transfer of an unlisted token, from its log. Such a token's contract can log anything. */
export type UnsupportedTransfer = {
  txHash: Hash
  logIndex: number
  block: number
  fromAddress: Address
  amountRaw: string
}

/** Sum of older transfers, which are counted but no longer kept one by one. */
type Older = { count: number; amountRaw: string; fromBlock: number; toBlock: number }

/**
 * All transfers of one unlisted token to one account. An unlisted token is missing from the token list and priced by no
 * provider. It is shown but not routed. After `othersAfter` such tokens of an account on a chain, all further ones
 * share a record, and `others` lists their addresses (decision 43).
 */
export type Unsupported = {
  id: string
  version: number
  organizationId: string
  userId: string
  account: Address
  chainId: ChainId
  /** Token address. In a shared record, the token of the newest transfer. */
  token: Address
  /** First tokens of a shared record; null in a record of one token. */
  others: Address[] | null
  /** Newest first. */
  newest: UnsupportedTransfer[]
  older: Older
  /** The scan has counted every transfer up to this block. Transfers above it come from webhook hints only. */
  countedTo: number
  /** Lowest block of a transfer known only from a hint; null if there is none. */
  pointedFrom: number | null
  /**
   * Transfers up to this block should become a routed deposit. Routing was requested, or a provider prices the token.
   */
  wantedTo: number | null
  /** Next measurement of the balance, if routing was requested. */
  dueAt: number | null
  /** When providers are next queried for a price of the token. */
  judgeAt: number | null
  detectedBy: Detector[]
  detectedAt: number
  updatedAt: number
}

/** Unlisted tokens of one account and chain that get separate records. */
export const othersAfter = 50
/** Most further tokens that a shared record names. Beyond them, only transfers are counted. */
export const othersMax = 10_000
const newestMax = 20
/** Most transfers kept from webhook hints between two scans. The scan finds the rest. */
const pointedMax = 10

export const unsupportedIdOf = (chainId: ChainId, account: Address, token: Address | 'others'): string =>
  `${chainId}:unsupported:${account}:${token}`.toLowerCase()

const idForm = /^(\d+):unsupported:(0x[0-9a-f]{40}):(0x[0-9a-f]{40})$/

/**
 * Splits the id of a record of one token into the token and the id of the shared record that might contain it. Returns
 * null for any other text.
 */
export function othersIdIn(id: string): { othersId: string; token: Address } | null {
  const [, chainId, account, token] = idForm.exec(id) ?? []
  if (!chainId || !account || !token) return null
  return { othersId: `${chainId}:unsupported:${account}:others`, token: token as Address }
}

type NewUnsupported = Pick<Unsupported, 'organizationId' | 'userId' | 'account' | 'chainId' | 'token'>
const noneOlder: Older = { count: 0, amountRaw: '0', fromBlock: 0, toBlock: 0 }

export const unsupportedOf = (of: NewUnsupported, isOthers: boolean, at: number): Unsupported => ({
  id: unsupportedIdOf(of.chainId, of.account, isOthers ? 'others' : of.token),
  version: 0,
  ...of,
  others: isOthers ? [] : null,
  newest: [],
  older: noneOlder,
  countedTo: -1,
  pointedFrom: null,
  wantedTo: null,
  dueAt: null,
  judgeAt: null,
  detectedBy: [],
  detectedAt: at,
  updatedAt: at,
})

/** Adds a transfer from a hint. Returns null if it is already known, or if the scan will find it. */
export function withPointed(record: Unsupported, transfer: UnsupportedTransfer): Unsupported | null {
  if (transfer.block <= record.countedTo) return null
  const isSame = (one: UnsupportedTransfer) => one.txHash === transfer.txHash && one.logIndex === transfer.logIndex
  const others = record.newest.filter((one) => !isSame(one))
  if (record.newest.some((one) => isSame(one) && one.block === transfer.block)) return null
  if (others.filter(({ block }) => block > record.countedTo).length >= pointedMax) return null
  const newest = [transfer, ...others].toSorted(newestFirst)
  // Only transfers that the scan has counted enter the sum. A transfer from a hint can still vanish.
  return folded({ ...record, newest })
}

/**
 * Adds all transfers up to a block, as read by the scan. A hinted transfer that is missing from them is not on the
 * chain.
 *
 * @param transfers Transfers of this record's account and token. Already counted ones are ignored.
 * @param sweptTo Block up to which the balance was measured and became a routed deposit; -1 for none.
 */
export function withCounted(
  record: Unsupported,
  transfers: readonly UnsupportedTransfer[],
  to: number,
  sweptTo: number,
): Unsupported {
  if (to <= record.countedTo) return record
  const fresh = transfers.filter(({ block }) => block > record.countedTo && block <= to)
  const unsupportedTransfers = record.newest.filter(({ block }) => block <= record.countedTo || block > to)
  const newest = [...unsupportedTransfers, ...fresh].filter(({ block }) => block > sweptTo).toSorted(newestFirst)
  const older = record.older.count > 0 && record.older.fromBlock > sweptTo ? record.older : noneOlder
  return folded({ ...record, newest, older, countedTo: to })
}

/** Adds tokens to a shared record, up to its limit. */
export function withTokens(record: Unsupported, tokens: Iterable<Address>): Unsupported {
  const lowered = [...tokens].map((token) => token.toLowerCase() as Address)
  const others = [...new Set([...(record.others ?? []), ...lowered])].slice(0, othersMax)
  return { ...record, others }
}

function folded(record: Unsupported): Unsupported {
  const pointed = record.newest.filter(({ block }) => block > record.countedTo)
  const counted = record.newest.filter(({ block }) => block <= record.countedTo)
  const room = Math.max(0, newestMax - pointed.length)
  const gone = counted.slice(room)
  return {
    ...record,
    newest: [...pointed, ...counted.slice(0, room)],
    older: gone.reduce(fold, record.older),
    pointedFrom: pointed.length > 0 ? Math.min(...pointed.map(({ block }) => block)) : null,
  }
}

const fold = (older: Older, { block, amountRaw }: UnsupportedTransfer): Older => ({
  count: older.count + 1,
  amountRaw: String(capped(amountOf(older.amountRaw) + amountOf(amountRaw))),
  fromBlock: older.count === 0 ? block : Math.min(older.fromBlock, block),
  toBlock: Math.max(older.toBlock, block),
})

const newestFirst = (one: UnsupportedTransfer, other: UnsupportedTransfer): number =>
  other.block - one.block || other.logIndex - one.logIndex

/** Caps a sum at the largest amount of any token, because an unlisted token can log anything. */
const capped = (amount: bigint): bigint => (amount > amountMax ? amountMax : amount)

/** Returns the newest block with a transfer; -1 if there is none. */
export const lastBlockOf = ({ newest, older }: Pick<Unsupported, 'newest' | 'older'>): number =>
  newest[0]?.block ?? (older.count > 0 ? older.toBlock : -1)

/** The part of an account's token that is already a routed deposit: the sweep's last find, and single transfers. */
export type RoutedPart = {
  sweptTo: number
  executionId: string | null
  /** Whether the execution is already shown. It appears as a deposit from the beginning. */
  isShown: boolean
  recorded: ReadonlySet<string>
}

/**
 * Returns what a record of an unlisted token still claims; this rule lives here only. It claims nothing that a routed
 * deposit claims. If older transfers lie on both sides of the measured block, it claims none of them, because the
 * measured balance covers them.
 */
export function claimOf(record: Pick<Unsupported, 'chainId' | 'newest' | 'older'>, { sweptTo, recorded }: RoutedPart) {
  const { chainId, newest, older } = record
  const unrecorded = newest.filter(({ txHash, logIndex }) => !recorded.has(depositIdOf(chainId, txHash, logIndex)))
  const transfers = unrecorded.filter(({ block }) => block > sweptTo)
  const isOlder = older.count > 0 && older.fromBlock > sweptTo
  let amountRaw = isOlder ? amountOf(older.amountRaw) : 0n
  for (const transfer of transfers) amountRaw = capped(amountRaw + amountOf(transfer.amountRaw))
  return { amountRaw, count: transfers.length + (isOlder ? older.count : 0) }
}

/** Deposit of an unlisted token as shown: the part that has not been routed. */
export type UnsupportedDeposit = {
  id: string
  organizationId: string
  userId: string
  account: Address
  chainId: ChainId
  token: Address
  stage: 'UNSUPPORTED'
  amountRaw: string
  /** Number of transfers in the record. */
  count: number
  /** Number of tokens that share the record; null for a record of one token. */
  others: number | null
  fromAddress: Address | null
  txHash: Hash | null
  logIndex: number | null
  block: number
  detectedBy: Detector[]
  detectedAt: number
  updatedAt: number
  /** Whether routing was requested. The deposit is routed once its block is deep enough to be measured. */
  isWanted: boolean
  /** Execution that has the money which this record no longer claims. */
  successorId: string | null
  /** Whether that execution is already shown. */
  isSuccessorShown: boolean
}

/** @param token A token of a shared record, if it is requested separately. */
export function unsupportedDepositOf(record: Unsupported, routed: RoutedPart, token?: Address): UnsupportedDeposit {
  const { id, organizationId, userId, account, chainId, others, newest, wantedTo } = record
  const { detectedBy, detectedAt, updatedAt } = record
  const { amountRaw, count } = claimOf(record, routed)
  const [last] = newest
  const isOne = others === null && newest.length > 0
  const whose = { organizationId, userId, account, chainId, stage: 'UNSUPPORTED' } as const
  const when = { detectedBy, detectedAt, updatedAt }
  const what = {
    fromAddress: isOne && count === 1 ? last!.fromAddress : null,
    txHash: isOne ? last!.txHash : null,
    logIndex: isOne ? last!.logIndex : null,
    block: Math.max(0, lastBlockOf(record)),
    isWanted: wantedTo !== null,
    successorId: count === 0 && others === null ? routed.executionId : null,
    isSuccessorShown: routed.isShown,
  }
  if (others === null)
    return { id, token: record.token, ...whose, ...what, ...when, amountRaw: String(amountRaw), count, others }
  const named = token ? { id: unsupportedIdOf(chainId, account, token), token } : { id, token: record.token }
  const counts = token ? { count: 0, others: null } : { count, others: others.length }
  // Amounts of different tokens have no common sum. Each token's balance is measured once routing is requested.
  return { ...named, ...whose, ...what, ...when, amountRaw: '0', ...counts }
}
