import { BoundedMap } from '../../domain/bounded-map'
import type { ChainId } from '../../domain/chain/chain'
import { type Address, sameAddress } from '../../domain/chain/hex'
import { inParallel, rewrite } from '../../domain/concurrency'
import {
  lastBlockOf,
  othersAfter,
  type RoutedPart,
  type Unsupported,
  type UnsupportedTransfer,
  unsupportedIdOf,
  unsupportedOf,
  withCounted,
  withPointed,
  withTokens,
} from '../../domain/deposit/unsupported'
import type { Detector } from '../../domain/execution/execution'
import type { ChainClient, Transfer } from '../../ports/chain-client'
import type { UnsupportedDeposits } from '../../ports/detection'
import type { Holder } from '../intake/address-map'
import type { BalanceSweep } from '../sweeps/sweep-balances'

/** Which unlisted tokens a provider prices, for the tokens queried so far. */
export type PricedTokens = {
  /** Returns null if there is no response, or no recent one. */
  cached(chainId: ChainId, token: Address): boolean | null
  /**
   * Queries as many of the tokens as is allowed now, each once.
   *
   * @returns The tokens that were queried.
   */
  ask(chainId: ChainId, tokens: readonly Address[]): Promise<Address[]>
}
type Ports = { unsupported: UnsupportedDeposits; priced: PricedTokens; now: () => number }
/** All transfers of unlisted tokens that a range of blocks brought to one account. */
export type UnlistedArrival = { account: Holder; transfers: readonly Transfer[] }
/** A new record, and the transfers that it counts. */
type Of = { fresh: Unsupported; of: readonly Transfer[] }
type Sorted = { account: Holder; own: Of[]; rest: Transfer[] }

const writesAtOnce = 64

export type UnsupportedIntake = ReturnType<typeof unsupportedIntake>

/** Records transfers of unlisted tokens, with as few writes as there are accounts and tokens. */
export function unsupportedIntake(ports: Ports) {
  const { unsupported, priced, now } = ports

  return {
    /**
     * Records a transfer that a webhook or a request pointed at; the scan will count it. If it would start one record
     * too many, it is left to the scan.
     */
    async pointed(chainId: ChainId, transfer: Transfer, account: Holder, detector: Detector, isWanted = false) {
      const fresh = unsupportedOf(laneOf(account, chainId, transfer.token), false, now())
      const isRecorded = (await unsupported.load(fresh.id)) !== null
      if (!isRecorded && !isWanted && (await roomOf(ports, account.id, chainId)) === 0) return
      await change(ports, fresh.id, (before) => {
        const pointed = withPointed(before ?? fresh, shortened(transfer))
        return pointed && seenBy(pointed, detector)
      })
    },

    /**
     * Counts all transfers up to a block, as the scan read them. Accounts and tokens missing from the list received
     * nothing.
     */
    async counted(chainId: ChainId, unlistedArrivals: readonly UnlistedArrival[], to: number): Promise<void> {
      await priced.ask(
        chainId,
        unlistedArrivals.flatMap(({ transfers }) => transfers.map(({ token }) => token)),
      )
      const all = await inParallel(unlistedArrivals, writesAtOnce, (one) => sorted(ports, chainId, one))
      const own = all.flatMap((each) => each.own)
      const routed = await unsupported.routedOf(own.map(({ fresh }) => fresh))
      await inParallel(own.entries(), writesAtOnce, ([n, of]) => countToken(ports, of, routed[n]!, to))
      await inParallel(all, writesAtOnce, (one) => countOthers(ports, chainId, one, to))
    },

    /** Starts a separate record for a token of a shared record, because its routing was requested. */
    async apart(others: Unsupported, token: Address): Promise<void> {
      const { organizationId, userId, account, chainId } = others
      const fresh = unsupportedOf({ organizationId, userId, account, chainId, token }, false, now())
      await change(ports, fresh.id, (before) => (before ? null : fresh))
    },

    change: (id: string, next: Next): Promise<void> => change(ports, id, next),
  }
}

/** Returns the changed record, or null to leave it unchanged. */
type Next = (before: Unsupported | null) => Unsupported | null

async function change({ unsupported, now }: Ports, id: string, next: Next): Promise<void> {
  await rewrite(unsupported, id, (before) => {
    const changed = next(before)
    return changed && { ...changed, updatedAt: now() }
  })
}

/** Returns how many more tokens of an account and chain may get a separate record. */
const roomOf = async ({ unsupported }: Ports, account: Address, chainId: ChainId): Promise<number> =>
  Math.max(0, othersAfter - (await unsupported.countOf(account, chainId, othersAfter)))

/** Splits the transfers of one account: tokens with a separate record, existing or new, and the rest. */
async function sorted(ports: Ports, chainId: ChainId, { account, transfers }: UnlistedArrival): Promise<Sorted> {
  const { unsupported, now } = ports
  const tokens = [...Map.groupBy(transfers, ({ token }) => token)]
  const records = await Promise.all(
    tokens.map(([token]) => unsupported.load(unsupportedIdOf(chainId, account.id, token))),
  )
  let room = records.includes(null) ? await roomOf(ports, account.id, chainId) : 0
  const own: Of[] = []
  const rest: Transfer[] = []
  for (const [n, [token, of]] of tokens.entries())
    if (records[n] || room-- > 0) own.push({ fresh: unsupportedOf(laneOf(account, chainId, token), false, now()), of })
    else rest.push(...of)
  return { account, own, rest }
}

async function countToken(ports: Ports, { fresh, of }: Of, { sweptTo }: RoutedPart, to: number): Promise<void> {
  const { priced, now } = ports
  const isPriced = priced.cached(fresh.chainId, fresh.token)
  await change(ports, fresh.id, (before) => {
    const record = before ?? fresh
    if (record.countedTo >= to) return null
    const counted = seenBy(withCounted(record, of.map(shortened), to, sweptTo), 'SCANNER')
    return isPriced === false || lastBlockOf(counted) < 0 ? counted : { ...counted, judgeAt: counted.judgeAt ?? now() }
  })
}

async function countOthers(ports: Ports, chainId: ChainId, { account, rest }: Sorted, to: number): Promise<void> {
  if (rest.length === 0) return
  const { token } = rest.reduce((last, one) => (one.block >= last.block ? one : last))
  const fresh = unsupportedOf(laneOf(account, chainId, token), true, ports.now())
  await change(ports, fresh.id, (before) => {
    const record = before ?? fresh
    if (record.countedTo >= to) return null
    const counted = withCounted({ ...record, token }, rest.map(shortened), to, -1)
    const tokens = rest.map((each) => each.token)
    return seenBy(withTokens(counted, tokens), 'SCANNER')
  })
}

const laneOf = ({ id: account, organizationId, userId }: Holder, chainId: ChainId, token: Address) => ({
  organizationId,
  userId,
  account,
  chainId,
  token,
})

const shortened = ({ txHash, logIndex, block, from, amountRaw }: Transfer): UnsupportedTransfer => ({
  txHash,
  logIndex,
  block,
  fromAddress: from,
  amountRaw: String(amountRaw),
})

const seenBy = (record: Unsupported, detector: Detector): Unsupported =>
  record.detectedBy.includes(detector) ? record : { ...record, detectedBy: [...record.detectedBy, detector] }

type TendPorts = {
  chain: ChainClient
  unsupported: UnsupportedDeposits
  intake: Pick<UnsupportedIntake, 'change'>
  priced: PricedTokens
  sweep: BalanceSweep['sweep']
  now: () => number
  onTrouble: (error: unknown) => void
}

const [dueMax, missingMax, triedMax] = [50, 20, 10_000]
/** Delay before the first measurement and the longest delay between two. Each delay is longer than the one before. */
const [soonMs, latestMs] = [15_000, 60 * 60_000]
/** Delay while providers cannot be queried, or are being queried about other tokens. */
const laterMs = 10 * 60_000

/** Number of failed measurements of each record, which decides when it is measured again. */
type Tending = TendPorts & { tries: BoundedMap<string, number> }

/**
 * Handles the records that are due. It queries whether a provider now prices the token, and measures the balance once
 * the block of a wanted transfer is deep enough. A measured amount becomes a deposit found by the balance sweep. It
 * gets the same id in every process.
 */
export function tendUnsupported({ chain, unsupported, intake, priced, sweep, now, onTrouble }: TendPorts) {
  const { chainId } = chain
  const tries = new BoundedMap<string, number>(triedMax)
  const tending: Tending = { chain, unsupported, intake, priced, sweep, now, onTrouble, tries }

  return {
    /** Stores a request to route the amount received so far, and measures it immediately if requested. */
    async want(id: string, isMeasured: boolean): Promise<string[]> {
      await put(tending, id, (record) => ({
        wantedTo: Math.max(record.wantedTo ?? 0, lastBlockOf(record)),
        dueAt: now(),
      }))
      const wanted = isMeasured ? await unsupported.load(id) : null
      return wanted?.wantedTo == null ? [] : measure(tending, wanted, true)
    },

    async tend(): Promise<void> {
      const unjudged = await unsupported.unjudged(chainId, now(), dueMax)
      const queried = await priced.ask(
        chainId,
        unjudged.map(({ token }) => token),
      )
      for (const record of unjudged) await judge(tending, record, queried.includes(record.token))
      for (const record of await unsupported.due(chainId, now(), dueMax)) await measure(tending, record)
    },

    /** @param to The block up to which every account was queried. */
    async settlePointed(to: number): Promise<void> {
      for (const record of await unsupported.pointedAt(chainId, to, missingMax)) await settle(tending, record, to)
    },
  }
}

/** @param changes The changes to the record; null for none. */
const put = ({ intake }: Tending, id: string, changes: (record: Unsupported) => Partial<Unsupported> | null) =>
  intake.change(id, (record) => {
    const changed = record && changes(record)
    return changed ? { ...record, ...changed } : null
  })

/** A token that was not queried yet stays unchanged until its query. */
async function judge(tending: Tending, { id, token }: Unsupported, wasQueried: boolean): Promise<void> {
  const { chain, priced, now } = tending
  const isPriced = priced.cached(chain.chainId, token)
  if (isPriced === null && !wasQueried) return
  await put(tending, id, (record) => {
    if (isPriced === null) return { judgeAt: now() + laterMs }
    return isPriced ? { judgeAt: null, wantedTo: lastBlockOf(record), dueAt: now() } : { judgeAt: null }
  })
}

/**
 * Measures the balance of one token. A failure with one token does not affect the others.
 *
 * @param isRequested Whether this follows a request. Repeated requests must not make later measurements rarer.
 * @returns The ids of the new deposits.
 */
async function measure(tending: Tending, record: Unsupported, isRequested = false): Promise<string[]> {
  const { sweep, tries, now, onTrouble } = tending
  const { id, account, token, wantedTo } = record
  const { depositIds, again, unread, block } = await sweep(token, [account]).catch((error) => {
    onTrouble(error)
    return { depositIds: [], again: [account], unread: [], block: -1 }
  })
  // If the contract returned no balance, further measurements are pointless until a new request.
  const isDone = again.length === unread.length && block >= wantedTo!
  const tried = isRequested ? 1 : (tries.get(id) ?? 0) + 1
  if (isDone) tries.delete(id)
  else tries.set(id, tried)
  await put(tending, id, (record) => {
    const isMore = record.wantedTo !== null && record.wantedTo > wantedTo!
    if (isDone && !isMore) return { wantedTo: null, dueAt: null }
    return { dueAt: now() + Math.min(latestMs, soonMs * 2 ** Math.min(tried - 1, 10)) }
  })
  return depositIds
}

/**
 * Settles transfers that were pointed at and that the scan did not find. The chain is read again before they count as
 * gone.
 */
async function settle(tending: Tending, record: Unsupported, to: number): Promise<void> {
  const { chain, unsupported } = tending
  const open = record.newest.filter(({ block }) => block > record.countedTo && block <= to)
  const there = await Promise.all(open.map((one) => isThere(chain, record, one)))
  const fresh = open.filter((_, n) => there[n])
  const [routed] = await unsupported.routedOf([record])
  const settled = (at: Unsupported) => withCounted(at, fresh, to, routed!.sweptTo)
  await put(tending, record.id, (at) => (at.version === record.version ? settled(at) : null))
}

async function isThere(chain: ChainClient, { account, token }: Unsupported, one: UnsupportedTransfer) {
  const { txHash, logIndex, block } = one
  const minedTransaction = await chain.transaction(txHash)
  return (
    minedTransaction?.succeeded === true &&
    minedTransaction.block === block &&
    minedTransaction.transfers.some(
      (one) => one.logIndex === logIndex && sameAddress(one.to, account) && sameAddress(one.token, token),
    )
  )
}
