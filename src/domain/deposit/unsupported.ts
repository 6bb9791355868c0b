import type { ChainId } from '../chain/chain'
import type { Address, Hash } from '../chain/hex'
import { type Detector, depositIdOf } from '../execution/execution'
import { amountMax, amountOf } from '../money/amount'

/** One transfer of an unlisted token, as its log shows it. Such a token's contract may log anything. */
export type UnsupportedTransfer = {
  txHash: Hash
  logIndex: number
  block: number
  fromAddress: Address
  amountRaw: string
}

/** The sum of older transfers, which are counted but no longer kept one by one. */
type Older = { count: number; amountRaw: string; fromBlock: number; toBlock: number }

/**
 * Everything that arrived at one account of one unlisted token: a token that is not on the token list and that no
 * provider prices. It is shown and not routed. Once an account has `othersAfter` such tokens on a chain, all further
 * ones share a record, and `others` lists their addresses (decision 43).
 */
export type Unsupported = {
  id: string
  version: number
  organizationId: string
  userId: string
  account: Address
  chainId: ChainId
  /** The token. In a shared record it is the token of the newest transfer. */
  token: Address
  /** The first tokens of a shared record; null in a record of one token. */
  others: Address[] | null
  /** Newest first. */
  newest: UnsupportedTransfer[]
  older: Older
  /**
   * The scan has counted every transfer up to this block. Transfers above it are known only because something pointed
   * at them.
   */
  countedTo: number
  /** The lowest block of a transfer that is known from a pointer only; null when there is none. */
  pointedFrom: number | null
  /**
   * Up to this block the transfers shall become a deposit that is routed, because somebody asked for it or a provider
   * prices the token.
   */
  wantedTo: number | null
  /** When the balance is measured next, for what is wanted. */
  dueAt: number | null
  /** When providers are asked next whether they price the token. */
  judgeAt: number | null
  detectedBy: Detector[]
  detectedAt: number
  updatedAt: number
}

/** How many unlisted tokens of one account and chain get a record of their own. */
export const othersAfter = 50
/** How many further tokens a shared record names. Of any beyond them only the transfers are counted. */
export const othersMax = 10_000
const newestMax = 20
/** How many transfers are kept that webhooks pointed at between two scans. The scan finds the rest. */
const pointedMax = 10

export const unsupportedIdOf = (chainId: ChainId, account: Address, token: Address | 'others'): string =>
  `${chainId}:unsupported:${account}:${token}`.toLowerCase()

const idForm = /^(\d+):unsupported:(0x[0-9a-f]{40}):(0x[0-9a-f]{40})$/

/**
 * Splits the id of a record of one token into that token and the id of the shared record in which it may be found
 * instead. Returns null for any other text.
 */
export function othersIdIn(id: string): { othersId: string; token: Address } | null {
  const [, chainId, account, token] = idForm.exec(id) ?? []
  if (!chainId || !account || !token) return null
  return { othersId: `${chainId}:unsupported:${account}:others`, token: token as Address }
}

type Begun = Pick<Unsupported, 'organizationId' | 'userId' | 'account' | 'chainId' | 'token'>
const noneOlder: Older = { count: 0, amountRaw: '0', fromBlock: 0, toBlock: 0 }

export const unsupportedOf = (of: Begun, isOthers: boolean, at: number): Unsupported => ({
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

/** Adds a transfer that something pointed at. Returns null when it is known already, or when the scan will find it. */
export function withPointed(record: Unsupported, transfer: UnsupportedTransfer): Unsupported | null {
  if (transfer.block <= record.countedTo) return null
  const isSame = (one: UnsupportedTransfer) => one.txHash === transfer.txHash && one.logIndex === transfer.logIndex
  const others = record.newest.filter((one) => !isSame(one))
  if (record.newest.some((one) => isSame(one) && one.block === transfer.block)) return null
  if (others.filter(({ block }) => block > record.countedTo).length >= pointedMax) return null
  const newest = [transfer, ...others].toSorted(newestFirst)
  // Only transfers that the scan has counted are folded into the sum. One that was pointed at may still vanish.
  return folded({ ...record, newest })
}

/**
 * Adds all transfers up to a block, as the scan read them. A transfer that was pointed at and is not among them is not
 * on the chain.
 *
 * @param transfers Transfers of this record's account and token. Those that were counted before do no harm.
 * @param sweptTo The block up to which the balance was measured and became a deposit that is routed; -1 for none.
 */
export function withCounted(
  record: Unsupported,
  transfers: readonly UnsupportedTransfer[],
  to: number,
  sweptTo: number,
): Unsupported {
  if (to <= record.countedTo) return record
  const fresh = transfers.filter(({ block }) => block > record.countedTo && block <= to)
  const kept = record.newest.filter(({ block }) => block <= record.countedTo || block > to)
  const newest = [...kept, ...fresh].filter(({ block }) => block > sweptTo).toSorted(newestFirst)
  const older = record.older.count > 0 && record.older.fromBlock > sweptTo ? record.older : noneOlder
  return folded({ ...record, newest, older, countedTo: to })
}

/** Adds tokens to a shared record, as far as there is room. */
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

/** Limits a sum to the largest amount that a token can have, because an unlisted token may log anything. */
const capped = (amount: bigint): bigint => (amount > amountMax ? amountMax : amount)

/** Returns the newest block in which a transfer arrived; -1 when there was none. */
export const lastBlockOf = ({ newest, older }: Pick<Unsupported, 'newest' | 'older'>): number =>
  newest[0]?.block ?? (older.count > 0 ? older.toBlock : -1)

/** What of an account's token is already a deposit that is routed: the last find of the sweep, and single transfers. */
export type Routed = {
  sweptTo: number
  executionId: string | null
  /** Whether the execution is shown by now. It is shown as a deposit from the beginning. */
  isShown: boolean
  recorded: ReadonlySet<string>
}

/**
 * Returns what a record of an unlisted token still claims; this rule lives here only. It claims nothing that a routed
 * deposit claims. When older transfers lie on both sides of the block that was measured, it claims none of them,
 * because the measured balance covers them.
 */
export function claimedBy(record: Pick<Unsupported, 'chainId' | 'newest' | 'older'>, { sweptTo, recorded }: Routed) {
  const { chainId, newest, older } = record
  const unrecorded = newest.filter(({ txHash, logIndex }) => !recorded.has(depositIdOf(chainId, txHash, logIndex)))
  const transfers = unrecorded.filter(({ block }) => block > sweptTo)
  const isOlder = older.count > 0 && older.fromBlock > sweptTo
  let amountRaw = isOlder ? amountOf(older.amountRaw) : 0n
  for (const transfer of transfers) amountRaw = capped(amountRaw + amountOf(transfer.amountRaw))
  return { amountRaw, count: transfers.length + (isOlder ? older.count : 0) }
}
