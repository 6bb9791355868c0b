import type { Hash } from '../domain/chain/hex'
import type { Status } from '../domain/execution/status'
import type { AuditRecord, LaneFacts, Move, RouteFact } from '../ports/audit'
import {
  balanceFaults,
  departureFaults,
  type Fault,
  moneyOf,
  repeatFaults,
  roundingMostRaw,
  splitFaults,
} from './invariants'

/**
 * Where the units of a lane are, in atomic units of its token. Without a fault, `receivedRaw` is the sum of all other
 * amounts.
 */
export type Units = {
  /** Transfer logs; for native coin, the amounts that the records found by balance. */
  receivedRaw: bigint
  /** Taken by the collector. */
  feesRaw: bigint
  deliveredRaw: bigint
  mintedRaw: bigint
  refundedRaw: bigint
  /** Left the account, and the execution is unfinished. */
  inFlightRaw: bigint
  /** Left the account, came back from a bridge, and is now a separate deposit. */
  returnedRaw: bigint
  /** Left the account, and the execution ended without an arrival. */
  strandedRaw: bigint
  /** Taken out by the holders of the RecoveryExecutor. */
  recoveredRaw: bigint
  /** In the account, of unfinished executions or routed after the stated block. */
  openRaw: bigint
  /** In the account, of executions that ended there. */
  leftBehindRaw: bigint
  /** Transfers of an unlisted token. */
  unsupportedRaw: bigint
  /** In the account, because a route took less than its deposit. Negative if rounding let it take more. */
  dustRaw: bigint
  /** In the account; its record names a later block, or does not exist yet. */
  laterRaw: bigint
  unexplainedRaw: bigint
  /** The balance less the places in the account, for a token that rounds. It is not a separate place. */
  roundedRaw: bigint
}

export type LaneExplained = { units: Units; behind: Map<Status, bigint>; faults: Fault[] }

export const noUnits = (): Units => ({
  receivedRaw: 0n,
  feesRaw: 0n,
  deliveredRaw: 0n,
  mintedRaw: 0n,
  refundedRaw: 0n,
  inFlightRaw: 0n,
  returnedRaw: 0n,
  strandedRaw: 0n,
  recoveredRaw: 0n,
  openRaw: 0n,
  leftBehindRaw: 0n,
  unsupportedRaw: 0n,
  dustRaw: 0n,
  laterRaw: 0n,
  unexplainedRaw: 0n,
  roundedRaw: 0n,
})

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
const sum = (amounts: Iterable<bigint>): bigint => [...amounts].reduce((total, amount) => total + amount, 0n)
const amountsOf = (rows: readonly { amountRaw: bigint }[]): bigint => sum(rows.map(({ amountRaw }) => amountRaw))

/** A deposit with its re-drives, which route the same money. `broughtRaw` is null if nothing arrived by the block. */
type Deposit = { id: string; records: AuditRecord[]; broughtRaw: bigint | null }

const depositOf = (id: string): string => id.replace(/:r\d+$/, '')
const driveOf = (id: string): number => Number(/:r(\d+)$/.exec(id)?.[1] ?? 0)

/**
 * Explains every unit of one account, chain and token at a block, from the chain's logs, events and balance and from
 * the records, which were read later. It repeats none of the service's own rules: it adds up, and compares.
 */
export function explainLane(facts: LaneFacts, at: number): LaneExplained {
  const faults: Fault[] = []
  const arrived = facts.moves.filter(({ to, from, amountRaw }) => {
    return isSame(to, facts.account) && !isSame(from, to) && amountRaw > 0n
  })
  const { deposits, unrecorded } = matched(facts, arrived, at, faults)
  const routes = routesByRecord(facts, at, faults)
  const units = noUnits()
  const behind = new Map<Status, bigint>()

  const spentRaw = sum(facts.routes.map((route) => route.spentRaw))
  units.recoveredRaw = amountsOf(facts.recoveries)
  outgoing(facts, faults)
  for (const route of facts.routes) departed(units, route, routes.get(route.routeId) ?? null)

  const goneRaw = remaining(facts, deposits, { units, behind, routes })
  const surplusRaw = surplus(facts, deposits, unrecorded, { units, at, faults })
  const broughtRaw = sum(deposits.map((each) => each.broughtRaw ?? 0n)) + surplusRaw
  units.receivedRaw = broughtRaw
  const roundingRaw = facts.isNative ? 0n : roundingMostRaw(broughtRaw) * BigInt(deposits.length + 1)
  units.dustRaw = goneRaw - spentRaw
  if (units.dustRaw < -roundingRaw) faults.push(`${-units.dustRaw} more left than the departed deposits brought.`)
  recovered(units, behind, faults)
  balance(facts, { units, broughtRaw, leftRaw: spentRaw + units.recoveredRaw, roundingRaw, at, faults })
  return { units, behind, faults: [...new Set(faults)] }
}

const lessOf = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/** Takes a recovery from the units in the account: from what was left behind first, from open deposits last. */
function recovered(units: Units, behind: Map<Status, bigint>, faults: Fault[]): void {
  let restRaw = units.recoveredRaw
  for (const [status, amountRaw] of behind) {
    const takenRaw = lessOf(amountRaw, restRaw)
    behind.set(status, amountRaw - takenRaw)
    units.leftBehindRaw -= takenRaw
    restRaw -= takenRaw
  }
  for (const name of ['unsupportedRaw', 'dustRaw', 'laterRaw', 'openRaw'] as const) {
    const takenRaw = units[name] > 0n ? lessOf(units[name], restRaw) : 0n
    units[name] -= takenRaw
    restRaw -= takenRaw
  }
  if (restRaw > 0n) faults.push(`${restRaw} more was recovered than the account had.`)
}

/** Whether a deposit brought nothing. A re-drive also ends without funds after another deposit took them along. */
const isAbsent = (records: readonly AuditRecord[]): boolean =>
  moneyOf(records.at(-1)!.status) === 'ABSENT' && records.every(({ takenBy }) => takenBy === null)

/** Compares the records with the transfers, one by one. */
function matched({ records, isNative }: LaneFacts, arrived: readonly Move[], at: number, faults: Fault[]) {
  const moves = new Map(arrived.map((move) => [`${move.txHash}:${move.logIndex}`.toLowerCase(), move]))
  const deposits: Deposit[] = []
  for (const [id, group] of Map.groupBy(records, (record) => depositOf(record.id))) {
    const sorted = group.toSorted((one, other) => driveOf(one.id) - driveOf(other.id))
    const first = sorted[0]!
    if (driveOf(first.id) > 0) faults.push(`The first execution of ${id} is missing.`)
    if (first.txHash === null || isNative) {
      const isThere = first.block <= at && !isAbsent(sorted)
      deposits.push({ id, records: sorted, broughtRaw: isThere ? first.amountRaw : null })
      continue
    }
    const place = id.slice(id.indexOf(':') + 1).toLowerCase()
    const move = moves.get(place)
    if (move) moves.delete(place)
    if (move && move.amountRaw !== first.amountRaw)
      faults.push(`The transfer of ${id} brought ${move.amountRaw}, and the record shows ${first.amountRaw}.`)
    // A token can log a transfer that moves nothing. The balance shows whether the record is right about that.
    if (!move && first.block <= at && !isAbsent(sorted))
      faults.push(`The chain has no transfer ${id} of ${first.amountRaw}.`)
    deposits.push({ id, records: sorted, broughtRaw: isAbsent(sorted) ? null : (move?.amountRaw ?? null) })
  }
  return { deposits, unrecorded: [...moves.values()] }
}

/** Compares the records with the routes, one by one. */
function routesByRecord({ records, routes }: LaneFacts, at: number, faults: Fault[]): Map<Hash, AuditRecord> {
  const byRoute = new Map<Hash, AuditRecord>()
  for (const record of records) if (record.routeId) byRoute.set(record.routeId, record)
  faults.push(
    ...repeatFaults(
      records.map(({ id }) => id),
      'The record',
    ),
  )
  faults.push(
    ...repeatFaults(
      records.flatMap(({ routeId }) => routeId ?? []),
      'The route',
    ),
  )
  faults.push(
    ...repeatFaults(
      routes.map(({ routeId }) => routeId),
      'The event of the route',
    ),
  )
  const seen = new Set<Hash>()
  for (const route of routes) {
    seen.add(route.routeId)
    const record = byRoute.get(route.routeId)
    if (!record) faults.push(`${route.spentRaw} left by the route ${route.routeId}, and no record has that route.`)
    else faults.push(...departureFaults(record, route).map((fault) => `${record.id}: ${fault}`))
  }
  for (const record of records) {
    const { id, fees, protocolFeeBps, spentBlock, spentRaw, routeId, status } = record
    const isGone = spentBlock !== null && spentBlock <= at
    if (isGone && !(routeId && seen.has(routeId)))
      faults.push(`${id}: the record shows that ${spentRaw} left, and the chain shows no such route.`)
    if (spentBlock === null && moneyOf(status) === 'DELIVERED') faults.push(`${id}: delivered money that never left.`)
    if (fees && protocolFeeBps !== null)
      faults.push(...splitFaults(fees, protocolFeeBps).map((fault) => `${id}: ${fault}`))
  }
  return byRoute
}

/** Every transfer from the account belongs to a route or a recovery of the same transaction. */
function outgoing({ account, moves, routes, recoveries, isNative }: LaneFacts, faults: Fault[]): void {
  if (isNative) return
  const out = moves.filter(({ from, to }) => isSame(from, account) && !isSame(from, to))
  for (const [hash, group] of Map.groupBy(out, ({ txHash }) => txHash)) {
    const here = routes.filter(({ txHash }) => txHash === hash)
    const leftRaw = sum(here.map(({ spentRaw }) => spentRaw))
    const takenRaw = amountsOf(recoveries.filter(({ txHash }) => txHash === hash))
    const goneRaw = amountsOf(group)
    const roundingRaw = roundingMostRaw(goneRaw) * BigInt(group.length)
    if (goneRaw > leftRaw + takenRaw + roundingRaw)
      faults.push(`${goneRaw} left in ${hash}, and routes account for ${leftRaw + takenRaw}.`)
    for (const [collector, theirs] of Map.groupBy(here, (route) => route.collector)) {
      const feesRaw = sum(theirs.map((route) => route.protocolFeeRaw + route.gasFeeRaw))
      const paidRaw = amountsOf(group.filter(({ to }) => isSame(to, collector)))
      if (paidRaw > feesRaw + roundingRaw || paidRaw < feesRaw - roundingRaw)
        faults.push(`The collector ${collector} got ${paidRaw} in ${hash}, and the fees are ${feesRaw}.`)
    }
  }
}

/** Adds the units of a route to the place where they are now. */
function departed(units: Units, { spentRaw, protocolFeeRaw, gasFeeRaw }: RouteFact, record: AuditRecord | null): void {
  const feesRaw = protocolFeeRaw + gasFeeRaw
  const routedRaw = spentRaw - feesRaw
  units.feesRaw += feesRaw
  if (!record) units.unexplainedRaw += routedRaw
  else if (record.isReturned) units.returnedRaw += routedRaw
  else if (record.arrival === 'DELIVERED') units.deliveredRaw += routedRaw
  else if (record.arrival === 'MINTED') units.mintedRaw += routedRaw
  else if (record.arrival === 'REFUNDED') units.refundedRaw += routedRaw
  else if (moneyOf(record.status) === 'OPEN') units.inFlightRaw += routedRaw
  else units.strandedRaw += routedRaw
}

type Remaining = { units: Units; behind: Map<Status, bigint>; routes: Map<Hash, AuditRecord> }

/** Adds the units that are still in the account to their status. Returns the sum of the deposits that have left. */
function remaining(facts: LaneFacts, deposits: readonly Deposit[], { units, behind, routes }: Remaining): bigint {
  const leftWith = new Set(facts.routes.flatMap(({ routeId }) => routes.get(routeId)?.id ?? []))
  let goneRaw = 0n
  for (const { records, broughtRaw } of deposits) {
    if (broughtRaw === null) continue
    const isGone = records.some(({ id, takenBy }) => leftWith.has(id) || (takenBy !== null && leftWith.has(takenBy)))
    const { status } = records.at(-1)!
    if (isGone) goneRaw += broughtRaw
    else if (status !== null && moneyOf(status) === 'ENDED' && !isLater(records)) {
      units.leftBehindRaw += broughtRaw
      behind.set(status, (behind.get(status) ?? 0n) + broughtRaw)
    } else units.openRaw += broughtRaw
  }
  return goneRaw
}

/** Whether the money left after the stated block: its route is recorded, and not yet on the chain. */
const isLater = (records: readonly AuditRecord[]): boolean =>
  records.some(({ spentBlock, takenBy }) => spentBlock !== null || takenBy !== null)

type Surplus = { units: Units; at: number; faults: Fault[] }

/**
 * Explains the transfers without their own record: a balance find covers them, or a record of unlisted tokens. Returns
 * the amount that belongs to no deposit.
 */
function surplus(facts: LaneFacts, deposits: readonly Deposit[], unrecorded: readonly Move[], to: Surplus): bigint {
  const { units, at, faults } = to
  const findsRaw = sum(
    deposits.flatMap(({ records: [first] }) => (first!.txHash === null && !facts.isNative ? [first!.amountRaw] : [])),
  )
  const unrecordedRaw = amountsOf(unrecorded)
  const beyondRaw = unrecordedRaw - findsRaw
  if (beyondRaw <= 0n) return 0n
  if (facts.isUnsupported) {
    units.unsupportedRaw = beyondRaw
    return beyondRaw
  }
  const late = unrecorded.filter(({ block }) => block > facts.recordedTo && block <= at)
  units.laterRaw = amountsOf(late) < beyondRaw ? amountsOf(late) : beyondRaw
  const missingRaw = beyondRaw - units.laterRaw
  if (missingRaw > 0n) {
    units.unexplainedRaw += missingRaw
    const places = unrecorded.slice(0, 5).map(({ txHash, logIndex }) => `${txHash}:${logIndex}`)
    faults.push(`${missingRaw} arrived, and no record shows it: ${places.join(', ')}.`)
  }
  return beyondRaw
}

type Balance = { units: Units; broughtRaw: bigint; leftRaw: bigint; roundingRaw: bigint; at: number; faults: Fault[] }

/** Compares the balance with what arrived and left. Unread balances are compared with nothing. */
function balance(facts: LaneFacts, { units, broughtRaw, leftRaw, roundingRaw, at, faults }: Balance): void {
  if (facts.heldRaw === null) return
  const differenceRaw = facts.heldRaw - (broughtRaw - leftRaw)
  // A find of a later block may have arrived before the stated block.
  const finds = facts.records.filter(({ id, txHash, block }) => txHash === null && block > at && driveOf(id) === 0)
  const laterRaw = differenceRaw > 0n && differenceRaw <= amountsOf(finds) ? differenceRaw : 0n
  units.laterRaw += laterRaw
  units.receivedRaw += laterRaw
  const wrong = balanceFaults({ broughtRaw: broughtRaw + laterRaw, leftRaw, heldRaw: facts.heldRaw, roundingRaw })
  faults.push(...wrong)
  if (wrong.length > 0) units.unexplainedRaw += differenceRaw < 0n ? -differenceRaw : differenceRaw
  else units.roundedRaw = differenceRaw - laterRaw
}
