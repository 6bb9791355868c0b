import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import { depositIdOfExecution } from '../domain/deposit/deposit-stage'
import { amountOf } from '../domain/money/amount'
import { TemporarilyUnavailable } from '../domain/unavailable'
import type { SigningEntry } from '../ports/signer'

type Settings = {
  /** The executor's daily cap for a token on a chain, as of a moment ago. */
  dailyCap: (chainId: ChainId, token: Address) => Promise<bigint>
  /** The share of that cap that may be signed in an hour. */
  percent: number
  /** The share of the hour, and of the day, that may be signed for one organization. */
  organizationPercent: number
  now: () => number
  /** Called each time an order has to wait, with the organization if its own share is used up. */
  onReached?: (reached: Reached) => void
}
type Reached = { chainId: ChainId; token: Address; signedRaw: string; capRaw: string; organizationId?: string }

type Signed = Pick<
  Extract<SigningEntry, { event: 'SIGNED' }>,
  'executionId' | 'chainId' | 'routeId' | 'organizationId' | 'account' | 'token' | 'amountIn' | 'gasFee' | 'kind'
>

/** An amount signed for a route at a time. `deposit` is the same for a deposit and its re-drives. */
type CountedOrder = Pick<Signed, 'routeId' | 'organizationId' | 'account'> & {
  deposit: string
  amount: bigint
  isHeavy: boolean
  at: number
}

/**
 * A limit on signed amounts within a time, the queue of orders that wait for it, and the organization whose share it
 * is.
 */
type HourlyBound = {
  before: CountedOrder[]
  capRaw: bigint
  withinMs: number
  line: string | null
  organizationId?: string
}

export type HourlyCaps = ReturnType<typeof hourlyCaps>

const [hourMs, dayMs] = [3_600_000, 86_400_000]
const [retryMsMin, retryMsMax, noCapMs] = [1_000, 600_000, 60_000]
/** A gas fee above this part of an order counts as heavy, in basis points. The policy grants a route the same part. */
const heavyBps = 300n
/** Number of orders of one token with a heavy gas fee: of an account in an hour, and of a deposit in a day. */
const heavyMax = 3

/**
 * Limits the amount signed of a token on a chain in any hour to a share of the executor's daily cap. A thief who can
 * send transactions and deceives the signer does not get the whole day's money in the first minutes. One organization
 * gets a share of the hour and of the day, which leaves the rest to the others. A deposit and an account get few orders
 * with a heavy gas fee, which keeps a thief from turning one large deposit into the fees of many small orders.
 *
 * An order that finds a share used up waits. Later orders cannot delay it permanently, unless they use up its
 * organization's day. One order may exceed a share if nothing else was signed in that time; the chain limits it. For
 * each route the largest order counts: the chain executes only one, and it could be any of them.
 */
export function hourlyCaps({ dailyCap, percent, organizationPercent, now, onReached }: Settings) {
  /** The last hour by token and chain, and the last day by token, chain and organization; the oldest first. */
  const signed = new Map<string, CountedOrder[]>()
  /** Queues are not stored: after a restart, every order that still requests a signature waits again. */
  const lines = new Map<string, ReturnType<typeof signingQueue>>()

  const keyOf = ({ chainId, token }: Pick<Signed, 'chainId' | 'token'>) => `${chainId}:${token.toLowerCase()}`

  const ownKeyOf = (order: Signed) => `${keyOf(order)}:${order.organizationId}`

  function recent(key: string, withinMs: number): CountedOrder[] {
    const all = signed.get(key) ?? []
    while (all[0] && all[0].at <= now() - withinMs) all.shift()
    signed.set(key, all)
    return all
  }

  function lineOf(key: string) {
    const line = lines.get(key) ?? signingQueue()
    lines.set(key, line)
    return line
  }

  function note(order: Signed, at: number): void {
    const one = countedOf(order, at)
    if (at > now() - hourMs) recent(keyOf(order), hourMs).push(one)
    if (at > now() - dayMs) recent(ownKeyOf(order), dayMs).push(one)
  }

  /**
   * The limits of an order. Its organization's limits come first, so it does not join the shared queue while they hold
   * it up.
   */
  function boundsOf(order: Signed, capOfDay: bigint): HourlyBound[] {
    const [key, own, at] = [keyOf(order), ownKeyOf(order), now()]
    const shareOf = (whole: bigint) => (whole * BigInt(organizationPercent)) / 100n
    const capOfHour = (capOfDay * BigInt(percent)) / 100n
    const all: HourlyBound = { before: recent(key, hourMs), capRaw: capOfHour, withinMs: hourMs, line: key }
    if (organizationPercent === 100) return [all]
    const { organizationId } = order
    const day = recent(own, dayMs)
    const hour = day.filter((one) => one.at > at - hourMs)
    return [
      { before: day, capRaw: shareOf(capOfDay), withinMs: dayMs, line: null, organizationId },
      { before: hour, capRaw: shareOf(capOfHour), withinMs: hourMs, line: own, organizationId },
      all,
    ]
  }

  /** @throws {TemporarilyUnavailable} if the account or the deposit used up its heavy gas fees. */
  function assureFewHeavy(order: Signed, at: number): void {
    const countedOrder = countedOf(order, at)
    if (!countedOrder.isHeavy) return
    const others = recent(ownKeyOf(order), dayMs).filter((one) => one.isHeavy && one.routeId !== order.routeId)
    const ofAccount = others.filter((one) => one.account === order.account && one.at > at - hourMs)
    const ofDeposit = others.filter((one) => one.deposit === countedOrder.deposit)
    for (const [whose, heavy, withinMs] of [
      ['account', ofAccount, hourMs],
      ['deposit', ofDeposit, dayMs],
    ] as const)
      if (new Set(heavy.map(({ routeId }) => routeId)).size >= heavyMax)
        throw mustWait(heavy[0]!.at + withinMs - at, `${heavyMax} orders of the ${whose} had a heavy gas fee`)
  }

  return {
    note,
    /**
     * Counts an order whose signature is about to be returned.
     *
     * @throws {TemporarilyUnavailable} if the limit is reached, if another order has waited for long, or if the chain
     * has no cap.
     */
    async take(order: Signed): Promise<void> {
      const { chainId, token, routeId } = order
      const capOfDay = await dailyCap(chainId, token)
      const at = now()
      // For a token without a cap, only refunds are executed. The chain makes twenty of them a day.
      if (capOfDay === 0n && order.kind === 'REFUND') return note(order, at)
      assureFewHeavy(order, at)

      const bounds = boundsOf(order, capOfDay)
      for (const { before, capRaw, withinMs, line, organizationId } of bounds) {
        const others = before.filter((one) => one.routeId !== routeId)
        const signedRaw = sumOf(others)
        const sumRaw = sumOf([...before, countedOf(order, at)])
        const isBehind = capOfDay > 0n && line !== null && lineOf(line).isBehind(routeId, at)
        if (capOfDay > 0n && !isBehind && (signedRaw === 0n || sumRaw <= capRaw)) continue
        const whose = organizationId === undefined ? {} : { organizationId }
        onReached?.({ chainId, token, signedRaw: String(signedRaw), capRaw: String(capRaw), ...whose })
        const freeInMs = isBehind ? retryMsMax : others[0] ? others[0].at + withinMs - at : noCapMs
        throw mustWait(freeInMs, `${signedRaw} of the token were signed, of at most ${capRaw}`)
      }
      for (const { line } of bounds) if (line !== null) lineOf(line).leave(routeId)
      note(order, at)
    },
  }
}

function mustWait(ms: number, why: string): TemporarilyUnavailable {
  const retryMs = Math.max(retryMsMin, Math.min(ms, retryMsMax))
  return new TemporarilyUnavailable('the hourly cap', retryMs, 'SIGNER', { cause: new Error(why) })
}

function countedOf({ executionId, amountIn, gasFee, ...order }: Signed, at: number): CountedOrder {
  const { routeId, organizationId, account } = order
  const amount = amountOf(amountIn)
  const isHeavy = amountOf(gasFee) * 10_000n > amount * heavyBps
  return { routeId, organizationId, account, deposit: depositIdOfExecution(executionId), amount, isHeavy, at }
}

/** The sum of the largest amount of each route. */
function sumOf(all: readonly CountedOrder[]): bigint {
  const largest = new Map<Hash, bigint>()
  for (const { routeId, amount } of all) if (amount > (largest.get(routeId) ?? 0n)) largest.set(routeId, amount)
  return [...largest.values()].reduce((sum, amount) => sum + amount, 0n)
}

/**
 * Once the first order has waited this long, later ones wait behind it. Including its own hour, it waits less than two
 * hours.
 */
const patienceMs = 45 * 60_000
/**
 * An order stops holding up others after 15 minutes without a request, or after 1.5 times its last interval if that is
 * longer.
 */
const silentMsMax = 15 * 60_000
/** One and a half times the longest interval of a worker, which is an hour. No order holds others up for longer. */
const retainedMs = 90 * 60_000

/** `everyMs`: time between its last two requests, or 0. */
type Place = { since: number; requestedAt: number; everyMs: number }

/**
 * The orders that wait for the same share, in the order of their first requests. Each may be signed as soon as it fits.
 * Once the first has waited too long, all others must leave room for it.
 */
export function signingQueue() {
  /** By route. Setting an existing entry keeps its position. */
  const places = new Map<Hash, Place>()

  return {
    /** Records an order's request, and returns whether it must leave room for an order that has waited too long. */
    isBehind(routeId: Hash, at: number): boolean {
      for (const [other, { requestedAt }] of places) if (at - requestedAt > retainedMs) places.delete(other)
      const before = places.get(routeId)
      places.set(routeId, {
        since: before?.since ?? at,
        requestedAt: at,
        everyMs: before ? at - before.requestedAt : 0,
      })
      const isHere = ({ requestedAt, everyMs }: Place) => at - requestedAt <= Math.max(silentMsMax, (everyMs * 3) / 2)
      const [first, place] = [...places].find(([, each]) => isHere(each))!
      return first !== routeId && at - place.since >= patienceMs
    },
    leave(routeId: Hash): void {
      places.delete(routeId)
    },
  }
}
