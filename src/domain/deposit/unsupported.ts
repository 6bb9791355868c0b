import type { ChainId } from '../chain/chain'
import type { Address, Hash } from '../chain/hex'
import { type Detector, depositIdOf } from '../execution/execution'
import { amountMax, amountOf } from '../money/amount'

/** One transfer of it, as its log shows it: such tokens may say anything. */
export type UnsupportedTransfer = {
  txHash: Hash
  logIndex: number
  block: number
  fromAddress: Address
  amountRaw: string
}

/** Transfers that are counted and no longer kept one by one. */
type Older = { count: number; amountRaw: string; fromBlock: number; toBlock: number }

/**
 * Everything that arrived at one account of one token that no provider prices and the token list does not know, in one
 * record: it is shown, not routed. From `othersAfter` tokens on, all further ones of an account and chain share a
 * record, of which `others` are the addresses (decision 43).
 */
export type Unsupported = {
  id: string
  version: number
  organizationId: string
  userId: string
  account: Address
  chainId: ChainId
  /** Of several tokens: that of the newest transfer. */
  token: Address
  /** The tokens of a record of several, the first of them; null in a record of one token. */
  others: Address[] | null
  /** Newest first. */
  newest: UnsupportedTransfer[]
  older: Older
  /** The scan has counted every transfer up to this block; what is above it was only pointed at. */
  countedTo: number
  /** The lowest block of what is only pointed at; null where nothing is. */
  pointedFrom: number | null
  /** Up to this block it is to become a deposit that is routed: somebody asked for it, or a provider prices it. */
  wantedTo: number | null
  /** When what is wanted is measured, or measured again. */
  dueAt: number | null
  /** When providers are asked whether they price it, or asked again. */
  judgeAt: number | null
  detectedBy: Detector[]
  detectedAt: number
  updatedAt: number
}

/** So many tokens of an account and chain have a record of their own. */
export const othersAfter = 50
/** So many further tokens are known by their addresses; of what comes then only the transfers are counted. */
export const othersMax = 10_000
const newestMax = 20
/** Webhooks may be many between two scans: what they point at beyond this is left to the scan. */
const pointedMax = 10

export const unsupportedIdOf = (chainId: ChainId, account: Address, token: Address | 'others'): string =>
  `${chainId}:unsupported:${account}:${token}`.toLowerCase()

const idForm = /^(\d+):unsupported:(0x[0-9a-f]{40}):(0x[0-9a-f]{40})$/

/** The record of several tokens in which one that has none of its own may be, by the id that it would have. */
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

/** With a transfer that something points at. Null where that is no news, or the scan will tell. */
export function withPointed(record: Unsupported, transfer: UnsupportedTransfer): Unsupported | null {
  if (transfer.block <= record.countedTo) return null
  const isSame = (one: UnsupportedTransfer) => one.txHash === transfer.txHash && one.logIndex === transfer.logIndex
  const others = record.newest.filter((one) => !isSame(one))
  if (record.newest.some((one) => isSame(one) && one.block === transfer.block)) return null
  if (others.filter(({ block }) => block > record.countedTo).length >= pointedMax) return null
  const newest = [transfer, ...others].toSorted(newestFirst)
  // What the scan has counted is folded, what is pointed at never is: it may yet vanish.
  return folded({ ...record, newest })
}

/**
 * With all transfers up to a block, as the scan read them. What was pointed at up to there and is not among them is not
 * on the chain.
 *
 * @param transfers of this record's account and token; those that it has counted before do no harm.
 * @param sweptTo up to here the balance was measured and is a deposit that is routed; -1 where it never was.
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

/** Further tokens of a record of several, as far as there is room. */
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

/** What such tokens say may add up to more than any token can have. */
const capped = (amount: bigint): bigint => (amount > amountMax ? amountMax : amount)

/** The newest block in which something of it arrived; -1 where nothing did. */
export const lastBlockOf = ({ newest, older }: Pick<Unsupported, 'newest' | 'older'>): number =>
  newest[0]?.block ?? (older.count > 0 ? older.toBlock : -1)

/** What of an account's token is already a deposit that is routed: the last find of the sweep, and single transfers. */
export type Routed = {
  sweptTo: number
  executionId: string | null
  /** Whether it is shown as an execution by now; as a deposit it is from its beginning. */
  isShown: boolean
  recorded: ReadonlySet<string>
}

/**
 * THE rule of what such a record still claims: nothing of what a deposit that is routed has. Where older transfers
 * stand on both sides of what was measured it claims none of them: the balance does.
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
