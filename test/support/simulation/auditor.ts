import { departureFaults, type Fault, repeatFaults, splitFaults, statusFaults } from '../../../src/audit/invariants'
import type { Hash } from '../../../src/domain/chain/hex'
import { ordersOf, type Relayer, unminedMax } from '../../../src/domain/chain/relayer'
import { escalatedAt } from '../../../src/domain/execution/deadline'
import { type Execution, isLive } from '../../../src/domain/execution/execution'
import { isMint } from '../../../src/domain/execution/mint'
import { retry } from '../../../src/domain/execution/retry'
import type { Order } from '../../../src/domain/execution/route'
import { isTerminal } from '../../../src/domain/execution/status'
import { sumOf } from '../../../src/domain/money/amount'
import type { ExecutedRoute, RecordedRoute } from '../../../src/ports/audit'
import type { Records } from '../../../src/ports/records'
import { largeRaw } from './bridge'
import { type Chain, usualSeconds } from './chain'
import type { City } from './city'
import { addressOfKey, gasFeeMostRaw, isAbandoned, sanctioned, villain } from './parties'
import { depositIn } from './users'

/** Causes that end an execution although it has retries left. */
const finalCauses = new Set<string>([
  ...['PARTIAL_DELIVERY', 'TRANSACTION_REVERTED', 'ABANDONED', 'FUNDS_RETURNED', 'RETURNED_TOO_OFTEN'],
])

type Kind = 'execution' | 'sender'

/** A unit of any token of this world, in wei: a token and a coin are worth one dollar each. */
const weiOfUnit = 10n ** 12n
/** Longest time between the check of the list and the stored order, without the time for which a process is frozen. */
const patienceMs = 4 * 60_000

/** Whether the only change to an ended record is that a later deposit included its leftover, or a re-drive has it. */
function isPassedOn(before: Execution, after: Execution): boolean {
  const ended = ({ state, status, completedAt, dueAt, retryCount, cause, facts, deposit }: Execution) =>
    JSON.stringify({ state, status, completedAt, dueAt, retryCount, cause, facts, deposit })
  const isNamed = (!before.takenBy && !!after.takenBy) || (!before.redrivenBy && !!after.redrivenBy)
  return isNamed && ended(before) === ended(after)
}

/** The transactions that a record shows, also those of orders that expired. */
const shownBy = ({ facts: { transactions = [], dropped = [] } }: Execution): ReadonlySet<string> =>
  new Set([...dropped, ...transactions].map(({ hash }) => hash))

/** The amount that a deposit's records claim of its account: nothing once it left, or if it never was there. */
function claimRawOf(line: readonly Execution[]): bigint {
  const isGone = line.some(({ facts, takenBy }) => facts.spent || takenBy)
  return isGone || line.at(-1)!.state === 'FAILED_NO_FUNDS' ? 0n : BigInt(line[0]!.deposit.amountRaw)
}

const amountOrNull = (text: string | undefined): bigint | null => (text === undefined ? null : BigInt(text))

const departedOf = ({ status, facts: { spent, balance, fees, intent } }: Execution): RecordedRoute => ({
  status,
  spentRaw: amountOrNull(spent?.amountRaw),
  verifiedRaw: amountOrNull(balance?.totalReceivedRaw),
  protocolFeeRaw: amountOrNull(fees?.protocolFeeEffective),
  gasFeeRaw: amountOrNull(fees?.gasFeeRaw),
  recipient: intent?.targetAddress ?? null,
})
const leftOf = (routeId: string, spentRaw: bigint, { protocolFee, gasFee, intent }: Order): ExecutedRoute => ({
  routeId: routeId as Hash,
  spentRaw,
  protocolFeeRaw: BigInt(protocolFee),
  gasFeeRaw: BigInt(gasFee),
  recipient: intent.recipient,
})

/** The part of a world that an auditor reads. */
export type Audited = Pick<City, 'chain' | 'isSettled' | 'nativeFeeOf' | 'protocolFeeBpsOf'> & {
  users: Pick<City['users'], 'isListedFor' | 'silentIn'>
  loop: { longestFreezeMs: number }
  executions: { all(): readonly Execution[] }
  relayerRecords: { all(): readonly Relayer[] }
  bridge: Pick<City['bridge'], 'delivers' | 'isReal'>
  /** The chain of a relayer key, if there is more than one. */
  chainOf?: (relayerId: string) => Chain
}

type Seen = {
  bytes: ReadonlySet<string>
  nonces: ReadonlyMap<string, string | null>
  places: ReadonlyMap<string, string>
}

/** Checks every write and every broadcast, and all money at the end. */
export class Auditor {
  readonly found = new Set<string>()
  private bytes = new Set<string>()
  private nonces = new Map<string, string | null>()
  private places = new Map<string, string>()
  /** A copy of these, until they change. */
  private kept: Seen | null = null
  /** Nonces of the transactions signed for several orders. */
  readonly shared = new Set<string>()

  constructor(private readonly city: Audited) {}

  /** What it has seen so far, apart from faults. */
  get seen(): Seen {
    this.kept ??= { bytes: new Set(this.bytes), nonces: new Map(this.nonces), places: new Map(this.places) }
    return this.kept
  }
  /** Continues from what it had seen, with no fault found. */
  set seen(seen: Seen) {
    this.found.clear()
    if (seen === this.kept) return
    this.bytes = new Set(seen.bytes)
    this.nonces = new Map(seen.nonces)
    this.places = new Map(seen.places)
    this.kept = seen
  }

  private expect(holds: boolean | undefined, rule: string): void {
    if (!holds) this.found.add(rule)
  }

  /** @param rule Number of the invariant. */
  private note(rule: string, faults: readonly Fault[]): void {
    for (const fault of faults) this.found.add(`${rule}${fault}`)
  }

  watching<R extends { id: string; version: number }, Port extends Records<R>>(port: Port, kind: Kind): Port {
    const save = async (record: R) => {
      const before = await port.load(record.id)
      const stored = await port.save(record)
      if (stored) this.wrote(kind, before, stored)
      return stored
    }
    return { ...port, save }
  }

  /** Checks a write. */
  wrote(kind: Kind, before: unknown, stored: unknown): void {
    if (kind === 'execution') this.execution(before as Execution | null, stored as Execution)
    else this.sender(stored as Relayer)
  }

  guarding(chain: Chain): Chain {
    return Object.assign(Object.create(chain), {
      send: (bytes: `0x${string}`) => {
        this.expect(this.bytes.has(bytes), 'I12 sent before it was stored')
        return chain.send(bytes)
      },
    })
  }

  /** The signer refused an order, which no execution should have requested. */
  refused(why: string): void {
    this.found.add(`the signer refused an order: ${why}`)
  }

  private execution(before: Execution | null, after: Execution): void {
    this.note('I7 ', statusFaults(before?.status ?? null, after.status))
    this.expect(!before || !isTerminal(before.state) || isPassedOn(before, after), 'I7 written after the end')
    this.expect(after.retryCount >= (before?.retryCount ?? 0), 'I7 retryCount fell')
    this.expect(isTerminal(after.state) === (after.completedAt !== null), 'I7 completed at another time than the end')
    this.expect(after.seq === after.history.length, 'I7 a gap in the history')
    const isForgotten = before?.facts.order !== undefined && before.facts.order.id !== after.facts.order?.id
    if (after.state === 'FAILED' || isTerminal(after.state) || isForgotten)
      this.expect(!this.mayMove(before, after), 'decided while an order may still move money')
    if (before) this.expect(shownBy(before).isSubsetOf(shownBy(after)), 'a transaction is forgotten')
    const { intent, routeId } = before?.facts ?? {}
    if (intent) this.expect(intent.targetAddress === after.facts.intent?.targetAddress, 'I4 another intent')
    if (routeId) this.expect(routeId === after.facts.routeId, 'I4 another route')
    const rivals = this.city.executions
      .all()
      .filter((other) => other.deposit.lane === after.deposit.lane && !isTerminal(other.state) && isLive(other))
    this.expect(rivals.length <= 1, 'two orders in one lane')
    this.expect(after.retryCount <= retry.retriesMax, 'I8 retried without end')
    if (after.facts.fees)
      this.note('I6 ', splitFaults(after.facts.fees, this.protocolFeeBpsOf(after), this.gasFeeMostRaw(after)))
    if (after.facts.order && before?.facts.order?.id !== after.facts.order.id) this.signed(after)
    this.expect(isTerminal(after.state) ? after.dueAt === null : after.dueAt !== null, 'I8 unfinished without dueAt')
  }

  /** Money that the bridge sent back has paid its protocol fee. */
  private protocolFeeBpsOf({ refundOf, deposit }: Execution): number {
    return refundOf === null ? this.city.protocolFeeBpsOf(deposit.account) : 0
  }

  /** The gas fee also covers a provider's native fee, with a margin. */
  private gasFeeMostRaw({ deposit }: Execution): bigint {
    return gasFeeMostRaw + (this.city.nativeFeeOf(deposit.account) * 3n) / (2n * weiOfUnit)
  }

  /** An order that cannot be sent must not be signed: it would expire and cost a retry. */
  private signed({ facts, deposit }: Execution): void {
    const { order, fees, intent } = facts
    const address = addressOfKey(order!.sender!)
    const { stuckUntil, tip } = this.city.chain
    const isFull = (stuckUntil.get(address) ?? 0) > tip.time && !tip.nonces.get(address)
    this.expect(!this.city.chain.isPoor(address), 'signed for a key that cannot pay')
    this.expect(!isFull, `signed for a key that has ${unminedMax} transactions waiting`)
    const isListed =
      deposit.fromAddress === villain && this.city.users.isListedFor(patienceMs + this.city.loop.longestFreezeMs)
    this.expect(!isListed, 'signed for a party that was listed before')
    this.expect(order!.intent.minOut === facts.route!.amountOutMin, 'I4 another minimum than the route promises')
    const isCharged = !intent!.sponsoredGas && fees!.gasFeeSkipReason === 'NONE'
    const feeRaw = (BigInt(order!.nativeFee) + weiOfUnit - 1n) / weiOfUnit
    this.expect(!isCharged || BigInt(order!.gasFee) >= feeRaw, 'I6 the platform pays a native fee')
  }

  /**
   * Whether an order can still be mined: it is signed, was not seen used or refused, and is valid at the newest confirmed
   * block. A worker may have read it in confirmed blocks that have just vanished.
   */
  private mayMove(before: Execution | null, { facts }: Execution): boolean {
    const order = before?.facts.order ?? facts.order
    if (order === undefined || facts.spent || this.city.chain.isSpentInVain(order.id, this.bytes)) return false
    return order.deadline >= this.city.chain.standing.time && !this.city.chain.hasJustForked
  }

  /** The nonces that were mined in blocks that the last reorganization removed. */
  private undoneNonces: string[] = []

  /**
   * Forgets the nonces that a reorganization took back, unless their bytes are still stored.
   *
   * @param mined The counts of mined nonces before it.
   */
  loseNonces(mined: ReadonlyMap<string, number>): void {
    const { nonces } = this.city.chain.tip
    const nonceIn = (place: string): [key: string, nonce: number] => {
      const at = place.lastIndexOf(':')
      return [addressOfKey(place.slice(0, at)), Number(place.slice(at + 1))]
    }
    const isUnmined = ([key, nonce]: [key: string, nonce: number]) => nonce >= (nonces.get(key) ?? 0)
    const unmined = [...this.nonces.keys()].filter((place) => isUnmined(nonceIn(place)))
    this.undoneNonces = unmined.filter((place) => nonceIn(place)[1] < (mined.get(nonceIn(place)[0]) ?? 0))
    this.forgetUnstored(unmined)
  }

  private forgetUnstored(places: readonly string[]): void {
    this.kept = null
    const { relayerRecords } = this.city
    const stored = new Set(relayerRecords.all().flatMap(({ id, slots }) => slots.map(({ nonce }) => `${id}:${nonce}`)))
    for (const place of places) if (!stored.has(place)) this.nonces.delete(place)
  }

  private chainOf = (relayerId: string): Chain => this.city.chainOf?.(relayerId) ?? this.city.chain

  private sender({ id, slots }: Relayer): void {
    this.kept = null
    // A worker may forget a nonce that it has read in confirmed blocks that have just vanished.
    if (this.city.chain.hasJustForked) this.forgetUnstored(this.undoneNonces)
    const { time } = this.chainOf(id).standing
    for (const { nonce, orderId, order: first, also = [], attempts } of slots) {
      const place = `${id}:${nonce}`
      this.expect(!this.nonces.has(place) || this.nonces.get(place) === orderId, 'I11 a nonce given twice')
      this.nonces.set(place, orderId)
      for (const { bytes } of attempts) this.bytes.add(bytes)
      // A mint that failed is sent again under another nonce: its burn is minted once.
      for (const { id: order, deadline } of ordersOf({ order: first, also }).filter((one) => !isMint(one))) {
        const isVoid = deadline < time // its slot can be removed
        const known = this.places.get(order) ?? place
        this.expect(isVoid || known === place, 'I11 an order given two nonces')
        this.places.set(order, place)
      }
      if (also.length > 0) this.shared.add(place)
    }
  }

  /**
   * Whether all is done: every execution ended, except those whose bridge never reports an outcome, and every nonce is
   * mined.
   */
  isSettled(): boolean {
    const { executions, relayerRecords } = this.city
    const nonceOf = (id: string) => this.chainOf(id).tip.nonces.get(addressOfKey(id))
    return (
      executions.all().every((one) => isTerminal(one.state) || this.mayRunForEver(one)) &&
      relayerRecords.all().every(({ id, slots }) => slots.every(({ nonce }) => nonce < (nonceOf(id) ?? 0)))
    )
  }

  /**
   * Whether an execution may run without end: its money has left and never arrives. A claim of another execution is no
   * reason: it passes on.
   */
  private mayRunForEver({ state, facts }: Execution): boolean {
    if (state === 'RUNNING' && this.city.chain.isLost(facts)) return this.isOverdue(facts)
    if (state !== 'RUNNING' || !facts.spent || facts.route?.kind !== 'BRIDGE') return false
    return !this.city.bridge.delivers(facts.route.call!.data)
  }

  /** Whether operators are alerted to the execution. */
  private isOverdue(facts: Execution['facts']): boolean {
    const by = escalatedAt({ facts })
    return by !== null && by <= usualSeconds(this.city.chain.standing.time) * 1_000
  }

  close(): string[] {
    const { executions, chain } = this.city
    this.expect(this.city.isSettled, 'I8 stuck')
    for (const reason of chain.refused) this.found.add(`on chain: ${reason}`)
    const known = new Map(executions.all().map((record) => [record.facts.routeId, record]))
    for (const [routeId, { spentRaw, order }] of chain.standing.used) {
      const record = known.get(routeId)
      this.expect(record !== undefined, 'I1 money left by a route that no record knows')
      if (!record) continue
      const { facts, deposit } = record
      const departure = departureFaults(departedOf(record), leftOf(routeId, spentRaw, order))
      if (chain.leftAfterEnd(record)) {
        // No worker reads an ended record again. The audit compares it with the chain.
        this.expect(departure.length > 0, 'I1 the audit does not show that money left an ended record')
        continue
      }
      this.expect(facts.spent !== undefined, 'I1 money left and the record does not know')
      this.expect(facts.balance?.totalReceivedRaw === String(spentRaw), 'I1 another amount left than the record says')
      this.expect(spentRaw >= BigInt(deposit.amountRaw), 'I1 less than the deposit left')
      this.note('I1 ', departure)
    }
    for (const { state, facts, deposit, retryCount, cause, takenBy } of executions.all()) {
      const isTriedOut = retryCount === retry.retriesMax || finalCauses.has(cause?.code ?? '')
      this.expect(state !== 'DEAD_LETTER' || isTriedOut, `I8 ended by ${cause?.code} before its retries`)
      const isGivenUp = state === 'DEAD_LETTER' && cause?.code.startsWith('PROVIDER_')
      if (!isAbandoned(deposit.account)) this.expect(!isGivenUp, 'I8 ended because the provider was away')
      const isScreened = deposit.fromAddress === sanctioned
      const isStopped = state === 'TOKEN_BLACKLISTED' || cause?.code === 'ABANDONED'
      this.expect(!isScreened || isStopped, 'a listed party’s deposit was not stopped')
      // Money that came back is found by its balance, and its order can be mined again.
      const inLane = executions.all().filter((one) => one.deposit.lane === deposit.lane)
      const isUndone = deposit.txHash === null && inLane.some((one) => chain.hasUndone(one.facts))
      this.expect(state !== 'FAILED_NO_FUNDS' || Boolean(takenBy) || isUndone, 'spent another deposit’s money')
      const use = chain.standing.used.get(facts.routeId!)
      if (state !== 'SUCCESS') continue
      this.expect(use !== undefined || chain.isLost(facts), 'I2 delivered what never left')
      const least = BigInt(use?.order.intent.minOut ?? 0)
      this.expect(BigInt(facts.delivery?.amountRaw ?? 0) >= least, 'I4 less than the minimum is called delivered')
      const isLarge = BigInt(facts.balance!.totalReceivedRaw) >= largeRaw && facts.route!.kind === 'BRIDGE'
      const isSeconded = !isLarge || this.city.bridge.isReal(facts.delivery!.hash)
      this.expect(isSeconded, 'one node’s word ended a large deposit')
    }
    const places = new Map(chain.blocks.flatMap(({ number, arrivals }) => arrivals.map(({ hash }) => [hash, number])))
    for (const { deposit, redriveOf } of executions.all())
      if (redriveOf === null && deposit.txHash && !chain.hasForked)
        this.expect(places.get(deposit.txHash!) === deposit.block, 'recorded in another block')
    const abandoned = executions.all().filter(({ deposit }) => isAbandoned(deposit.account))
    const triedOut = abandoned.filter((one) => one.state === 'DEAD_LETTER' && one.retryCount === retry.retriesMax)
    this.expect(abandoned.length === 0 || triedOut.length === 1, 'I8 ended before or after its retries')
    // One transaction can pay several recipients here, each for a different order.
    const delivered = executions
      .all()
      .flatMap(({ facts: { delivery, route, order } }) =>
        delivery ? [route!.kind === 'BRIDGE' ? delivery.hash : `${delivery.hash} ${order!.intent.recipient}`] : [],
      )
    this.note('I3 ', repeatFaults(delivered, 'The delivery'))
    for (const { hash, refundOf } of chain.blocks.flatMap(({ arrivals }) => arrivals)) {
      const use = chain.standing.used.values().find(({ transfer }) => transfer === refundOf)
      const found = executions.all().find(({ deposit, redriveOf }) => deposit.txHash === hash && redriveOf === null)
      if (!use || !found) continue
      const isGivenUp = known.get(use.order.routeId)?.cause?.code === 'ABANDONED'
      // A deposit is an ordinary one if no provider answered for minutes.
      this.expect(found.refundOf !== null || found.facts.isUnclaimed || isGivenUp, 'a refund is not recognised')
    }
    this.accounts()
    return [...this.found]
  }

  /** An account holds what arrived minus what left. Deposits that the security list stopped are still there in full. */
  private accounts(): void {
    const lanes = Map.groupBy(this.city.executions.all(), ({ deposit }) => deposit.account)
    for (const [account, all] of lanes) {
      // A re-drive has the money of the record before it.
      const lines = [...Map.groupBy(all, ({ id }) => depositIn(id)).values()]
      const records = lines.map((line) => line.at(-1)!)
      const stopped = records.filter(
        ({ state, deposit }) => state === 'TOKEN_BLACKLISTED' || deposit.fromAddress === sanctioned,
      )
      const kept = sumOf(stopped.map(({ deposit }) => BigInt(deposit.amountRaw)))
      const held = this.city.chain.standing.balances.get(account) ?? 0n
      // The leftover of a party that was listed since, which no order took along before.
      const listed = records.filter(
        ({ deposit, facts, state }) =>
          deposit.fromAddress === villain &&
          !facts.spent &&
          state !== 'TOKEN_BLACKLISTED' &&
          this.city.users.isListedFor(0),
      )
      const left = sumOf(listed.map(({ deposit }) => BigInt(deposit.amountRaw)))
      this.expect(held >= kept + left, 'a listed party’s leftover was taken along')
      this.expect(held >= kept, 'stopped money was taken along')
      const silent = this.city.users.silentIn(account)
      this.expect(held >= silent, 'money that no record explains was taken along')
      const isAsClaimed = this.city.chain.hasForked || held === silent + sumOf(lines.map(claimRawOf))
      this.expect(isAsClaimed, 'the records claim other money than their account holds')
    }
  }
}
