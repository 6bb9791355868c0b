import type { Address, Hash } from '../../../src/domain/chain/hex'
import type { DepositIntent } from '../../../src/domain/deposit/deposit-intent'
import { depositIdOf } from '../../../src/domain/execution/execution'
import { sumOf } from '../../../src/domain/money/amount'
import { sealedForSaving } from '../../../src/domain/seals'
import type { DepositIntents } from '../../../src/ports/tenants'
import { addressOf, hashOf, token } from '../deposits'
import { seals } from '../seals'
import { type Arrival, type Chain, chainSeconds } from './chain'
import { type Dice, dice, type Loop, type Process } from './loop'
import {
  abandonedLane,
  accountList,
  accountOf,
  customer,
  faultsEndMs,
  isMinting,
  isRush,
  isSetBack,
  isSwept,
  laneCount,
  largeLane,
  listedAfterMs,
  mintLanes,
  ownerOf,
  partyOf,
  rushLanes,
  sanctioned,
  targetToken,
  usdcThere,
  villain,
  villainLane,
} from './parties'
import { allDeposits, depositNumbers, hasDeposit, hasTrouble, type Plan } from './plan'

type Arriving = { isSilent?: true; unreadMs?: number; from?: Address; amount?: bigint; times?: bigint }

/** The deposit of an execution, which its re-drives share. */
export const depositIn = (executionId: string): string => executionId.replace(/:r\d+$/, '')

/** The account of money that was found by its balance. */
const sweptAccountIn = (id: string): string | undefined => {
  const [, address] = /:sweep:(0x[0-9a-f]+):/.exec(id) ?? []
  return address && accountList.find((account) => account.toLowerCase() === address)
}

/** Whether balances are compared with records. */
export const hasSweep = (plan: Plan): boolean => isSwept(plan.seed) && hasTrouble(plan, 'unread-logs')

/** The users: they send deposits and change their intents. */
export class Users {
  /** The number of deposits that must have an execution at the end. */
  expected: number
  /** Number of deposits that have not arrived yet. */
  coming = 0
  private readonly listedAtMs: number
  /** The accounts of the deposits, by execution. */
  private readonly accounts = new Map<string, string>()
  /** The deposits' names in the story, by execution. */
  private readonly names = new Map<string, string>()
  private readonly sent = new Map<string, bigint>()

  constructor(
    private readonly plan: Plan,
    private readonly loop: Loop,
    private readonly chance: Dice,
    private readonly chain: Chain,
    /** Stores intents, without any fault. */
    private readonly clerk: Process,
    private readonly intents: DepositIntents,
  ) {
    const { silent, unlogged, burned } = depositNumbers
    const uncounted: readonly number[] = [silent, ...unlogged, ...(isMinting(plan.seed) ? [] : burned)]
    this.expected = allDeposits.filter((n) => !uncounted.includes(n) && hasDeposit(plan, n)).length
    this.listedAtMs = chance.between(listedAfterMs, 2 * listedAfterMs)
    this.arriveFromVillain()
    for (const n of depositNumbers.large)
      this.arriveLater(n, largeLane, chance.between(0, faultsEndMs * 0.8), { times: 1_000n })
    for (const lane of [villainLane, largeLane]) this.changeIntent(lane, chance.between(0, 20_000))
    const lanes = abandonedLane + 1 + (isRush(plan.seed) ? rushLanes : 0)
    for (let lane = 0; lane < lanes; lane++) this.changeIntent(lane, chance.between(0, 120_000))
    this.arriveAsUsual(isRush(plan.seed))
    for (const n of depositNumbers.abandoned) this.arriveLater(n, abandonedLane, chance.between(0, faultsEndMs))
    const silentLane = chance.below(laneCount)
    this.arriveLater(depositNumbers.silent, silentLane, chance.between(0, faultsEndMs * 0.5), { isSilent: true })
    if (hasSweep(plan)) this.arriveUnlogged(dice(plan.seed + 41))
    if (isMinting(plan.seed)) this.arriveBurned(dice(plan.seed + 61))
  }

  private arriveFromVillain(): void {
    const [first, second] = depositNumbers.villain
    if (hasDeposit(this.plan, first) || hasDeposit(this.plan, second))
      this.loop.after(this.listedAtMs, () => this.loop.narrate('The security list gets the sender of deposit 18'))
    this.arriveLater(first, villainLane, this.chance.between(0, 30_000), { from: villain })
    this.arriveLater(second, villainLane, this.listedAtMs + this.chance.between(1, 120_000))
  }

  /** Deposits arrive in bursts of four, or all together in a rush. */
  private arriveAsUsual(isRushed: boolean): void {
    const { usual } = depositNumbers
    let burst = 0
    for (const [n, number] of usual.entries()) {
      if (n % (isRushed ? usual.length : 4) === 0) burst = this.chance.between(0, faultsEndMs * 0.8)
      const lane = isRushed ? abandonedLane + 1 + (n % rushLanes) : this.chance.below(laneCount)
      const amount = this.usualAmount()
      const from = this.chance.chance(0.08) ? sanctioned : customer
      const afterMs = burst + this.chance.between(0, isRushed ? 0 : 15_000)
      this.arriveLater(number, lane, afterMs, { from, amount })
    }
  }

  /** Some leave no log, and the log of others is read late. */
  private arriveUnlogged(chance: Dice): void {
    const lane = chance.below(laneCount)
    for (const n of depositNumbers.unlogged) {
      // A scan that is set back should read logs that it missed shortly before.
      const isSoon = isSetBack(this.plan.seed)
      const isSilent = chance.chance(0.4) && !isSoon
      const unreadMs = isSoon ? chance.between(15_000, 35_000) : chance.between(10_000, 240_000)
      const amount = BigInt(Math.ceil(chance.between(1_000, 9_999)))
      const how = isSilent ? { isSilent } : { unreadMs }
      this.arriveLater(n, lane, chance.between(0, faultsEndMs * 0.8), { ...how, amount })
    }
  }

  /** Three deposits of one account have the same amount, so their burns can be equal. */
  private arriveBurned(chance: Dice): void {
    for (const lane of mintLanes) this.changeIntent(lane, chance.between(0, 20_000))
    for (const [n, number] of depositNumbers.burned.entries()) {
      const amount = n % 2 === 0 ? 5_000n : BigInt(Math.ceil(chance.between(1_000, 9_999)))
      this.arriveLater(number, mintLanes[n % 2]!, chance.between(0, faultsEndMs * 0.8), { amount })
    }
  }

  private usualAmount = (): bigint => BigInt(Math.ceil(this.chance.between(1_000, 9_999)))

  /** Called for each deposit that leaves a log. */
  onArrival: (hash: Hash) => void = () => {}

  /** How many deposits have arrived or were refunded. */
  get deposits(): number {
    return this.names.size
  }

  /** The organization that a deposit or an intent belongs to, by the account. */
  organizationOf = (id: string): string =>
    ownerOf(this.accounts.get(depositIn(id)) ?? sweptAccountIn(id) ?? id).organizationId

  /** The amount sent to an account that some detector must find. */
  recordableIn = (account: string): bigint => this.sent.get(account) ?? 0n

  nameOf = (id: string): string => {
    const [first, redrive] = [depositIn(id), /:r(\d+)$/.exec(id)?.[1]]
    const name = this.names.get(first) ?? first.replace(/^.*:sweep:.*:/, 'found money ')
    return redrive === undefined ? name : `re-drive ${redrive} of ${name}`
  }

  private deposit(name: string, arrival: Arrival): void {
    const id = depositIdOf(8453, arrival.hash, 0)
    this.names.set(id, name)
    this.accounts.set(id, arrival.account)
    if (!arrival.isSilent || hasSweep(this.plan))
      this.sent.set(arrival.account, this.recordableIn(arrival.account) + arrival.amount)
    this.loop.narrate(`${name[0]!.toUpperCase()}${name.slice(1)} of ${arrival.amount} arrives`)
    this.chain.deposit(arrival)
    if (!arrival.isSilent) this.onArrival(arrival.hash)
  }

  private arriveLater(n: number, lane: number, afterMs: number, { times = 1n, unreadMs, ...how }: Arriving = {}): void {
    if (!hasDeposit(this.plan, n)) return
    this.coming += 1
    this.loop.after(afterMs, () => {
      this.coming -= 1
      const amount = how.amount ?? this.usualAmount() * times
      const party = { account: accountOf(lane), from: customer, refundOf: null }
      if (unreadMs) this.chain.unreadUntil.set(hashOf(n), chainSeconds(this.loop.time + unreadMs))
      this.deposit(`deposit ${n}`, { hash: hashOf(n), ...party, ...how, amount })
    })
  }

  /** The bridge returns money, which arrives as a new deposit. */
  refund(of: string, refund: Pick<Arrival, 'account' | 'amount' | 'refundOf'>): void {
    this.expected += 1
    this.deposit(`the refund of ${of}`, { hash: hashOf(0x900_0000 + this.expected), from: addressOf(0xb1), ...refund })
  }

  /** Whether the villain has been on the security list for so long. */
  isListedFor(ms: number): boolean {
    return this.loop.time >= this.listedAtMs + ms
  }

  /** Amount that arrived in an account, and that no detector finds. */
  silentIn(account: string): bigint {
    if (hasSweep(this.plan)) return 0n
    const arrivals = this.chain.blocks.slice(0, this.chain.standing.number + 1).flatMap((block) => block.arrivals)
    return sumOf(arrivals.filter((one) => one.isSilent && one.account === account).map(({ amount }) => amount))
  }

  /** Changes the user's intent at random times, to this chain or to another. */
  private changeIntent(lane: number, delayMs: number): void {
    const { account: id, organizationId, userId, protocolFeeBps } = partyOf(lane)
    const name = `${userId} of ${organizationId}`
    const change = async () => {
      const isHere = this.chance.chance(0.3) && lane !== abandonedLane && !mintLanes.includes(lane)
      const stored = await this.intents.load(id)
      const elsewhere = mintLanes.includes(lane) ? usdcThere : targetToken
      const target: Pick<DepositIntent, 'targetChainId' | 'targetTokenAddress'> = isHere
        ? { targetChainId: 8453, targetTokenAddress: token }
        : { targetChainId: 42161, targetTokenAddress: elsewhere }
      const intent: DepositIntent = {
        id,
        version: stored?.version ?? 0,
        organizationId,
        userId,
        apiKeyId: `key of ${organizationId}`,
        ...target,
        targetAddress: addressOf(0x1d000000 + Math.floor(this.loop.time)),
        protocolFeeBps,
        sponsoredGas: this.chance.chance(0.3),
        createdAt: stored?.createdAt ?? 0,
        updatedAt: this.clerk.now(),
        refundAddress: null,
      }
      await this.intents.save(sealedForSaving(seals, intent))
      this.loop.narrate(
        `The intent of ${name} is ${stored ? 'changed' : 'stored'}, with a target on chain ${target.targetChainId}`,
      )
      const isLater = this.loop.time < faultsEndMs && hasTrouble(this.plan, 'changed-intents')
      if (isLater) this.changeIntent(lane, this.chance.between(60_000, 300_000))
    }
    this.loop.after(delayMs, () => void this.clerk.work(`changes the intent of ${name}`, change), null)
  }
}
