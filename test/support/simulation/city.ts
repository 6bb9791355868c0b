import type { Connection } from 'mongoose'
import { executionMachine } from '../../../machines/execution'
import {
  mongoDeliveries,
  mongoGasBooks,
  mongoProviderGates,
  mongoSenders,
} from '../../../src/adapters/mongo/collections/books'
import { mongoEventLog, mongoEventMarks } from '../../../src/adapters/mongo/collections/events'
import { mongoExecutions } from '../../../src/adapters/mongo/collections/executions'
import { mongoIntentHistory, mongoIntents } from '../../../src/adapters/mongo/collections/intents/intents'
import { mongoLanes } from '../../../src/adapters/mongo/collections/lanes'
import { fromStored, type StoredRecord, type Versioned } from '../../../src/adapters/mongo/engine/records'
import { withStoreErrorsEach } from '../../../src/adapters/mongo/engine/store-errors'
import { perChain } from '../../../src/domain/chain/chain'
import type { Address, Hash } from '../../../src/domain/chain/hex'
import { type Relayer, unminedMax, withSlot } from '../../../src/domain/chain/relayer'
import type { DepositIntent } from '../../../src/domain/deposit/deposit-intent'
import { RoutingError } from '../../../src/domain/error'
import { depositIdOf, type Execution, newExecution } from '../../../src/domain/execution/execution'
import type { Order } from '../../../src/domain/execution/route'
import { isTerminal } from '../../../src/domain/execution/status'
import { sumOf } from '../../../src/domain/money/amount'
import type { Chains } from '../../../src/ports/chain-client'
import type { Executions } from '../../../src/ports/executions'
import type { PausePeriods } from '../../../src/ports/operators'
import type { OrderSigner, Relayers } from '../../../src/ports/signer'
import type { LoggedEvent } from '../../../src/ports/webhooks'
import { gate } from '../../../src/providers/gate'
import { addressOf, depositOf, hashOf, token } from '../deposits'
import { usualTokens } from '../outage'
import { Auditor } from './auditor'
import { Bridge } from './bridge'
import { type Arrival, Chain, chainSeconds, shortOf } from './chain'
import { type Doc, valueIn } from './documents'
import { LogAuditor } from './log-auditor'
import { type Dice, dice, type Loop, noFaults, Process } from './loop'
import { allDeposits, depositNumbers, hasDeposit, hasTrouble, type Plan } from './plan'
import { SimulatedMongo } from './simulated-mongo'
import type { View } from './view'

const laneCount = 3
/** The provider never serves this lane. Its deposits must still end. */
const forsakenLane = laneCount
/** Additional lanes in a rush. */
const rushLanes = 10
/** Lane of the villain, and of a lane whose deposits are large. No other deposits arrive there. */
const [villainLane, largeLane] = [100, 101]
const listedAfterMs = 150_000
/** Protocol fee of every API key in this world. */
export const protocolFeeBps = 100
/** Gas fee in any token of this world, buffer included: almost nothing, rounded up. */
export const gasFeeMostRaw = 1n
export const faultsEndMs = 10 * 60_000
export const keys = ['key-0', 'key-1'].map((id, n) => ({ id, address: addressOf(0xee00 + n) }))
export const sanctioned = addressOf(0x5a)
/** Listed while its money lies in an account, after a deposit that found no route. */
export const villain = addressOf(0x5b)

const accountOf = (lane: number) => addressOf(0xac00 + lane)
const targetToken = addressOf(0x71)
export const isForsaken = (account: string): boolean => account === accountOf(forsakenLane)

type Signed = Parameters<OrderSigner['sign']>[0]
type Arriving = { isSilent?: true; from?: Address; amount?: bigint; times?: bigint }

/** A chain with a second node. */
const secondedBy = <Client extends object>(client: Client, second: object): Client =>
  new Proxy(client, { get: (target, name) => (name === 'second' ? second : Reflect.get(target, name)) })

/** Whether each chain has two nodes. In every other world one node decides, as on a chain with one. */
const hasSecond = (seed: number): boolean => seed % 2 === 0

/** Whether all deposits arrive together, as in one world of three. Many orders then need nonces at the same moment. */
export const isRush = (seed: number): boolean => seed % 3 === 0

/** The order of an execution, as the signer makes it from the execution's facts. */
export function signedOrder({ deposit, facts }: Signed, deadline: number, id: Hash): Order {
  const { intent, route, fees, balance } = facts
  const { targetChainId: toChainId, targetTokenAddress: tokenOut, targetAddress: recipient } = intent!
  return {
    id,
    routeId: facts.routeId!,
    accountSalt: hashOf(Number(deposit.account)),
    account: deposit.account,
    chainId: 8453,
    kind: route!.kind,
    token,
    amountIn: balance!.totalReceivedRaw,
    minSpent: balance!.totalReceivedRaw,
    protocolFee: fees!.protocolFeeEffective,
    gasFee: fees!.gasFeeRaw,
    collector: addressOf(0xfe),
    intent: { toChainId, tokenOut, recipient, minOut: route!.amountOutMin },
    target: addressOf(0xb1),
    spender: addressOf(0xb1),
    nativeFee: route!.call?.nativeFee ?? '0',
    minGas: '0',
    deadline,
    data: route!.call?.data ?? '0x',
    signature: '0x',
    gasLimit: facts.gasLimit!,
  }
}

/** Collections with events that do not occur in this world. */
const unmarked = {
  sightings: { load: async () => null },
  heldChanges: { requestedOf: async () => [] },
  pausePeriods: {} as PausePeriods,
  quotaWarnings: { load: async () => [] },
  apiKeys: { load: async () => null },
  webhookEndpoints: { load: async () => null },
}
/** Most rows of a response. A lane of this world then takes several, as a lane of thousands does. */
const batchMax = 7
const connectionLost = () =>
  Object.assign(new Error('connection 1 to the database closed'), { name: 'MongoNetworkError' })

const records = new WeakMap<Doc, unknown>()
function recordOf<R extends Versioned>(document: Doc): R {
  const record = records.get(document) ?? fromStored<R>(document as unknown as StoredRecord<R>)
  records.set(document, record)
  return record as R
}
type Stored<R> = { all(): R[]; writes(): number }
const storedIn = <R extends Versioned>(mongo: SimulatedMongo, name: string): Stored<R> => ({
  all: () => [...mongo.rows(name).documents.values()].map(recordOf<R>),
  writes: () => mongo.rows(name).writes,
})

/** Everything except the workers: the stores, the chain, the scanner, the signer, the users and their intents. */
export class City {
  readonly chance: Dice
  readonly chain: Chain
  readonly bridge: Bridge
  readonly mongo: SimulatedMongo
  readonly executions: Stored<Execution>
  readonly relayerRecords: Stored<Relayer>
  readonly auditor = new Auditor(this)
  private readonly logAuditor = new LogAuditor()
  /** Detects deposits and stores intents, without any fault. */
  private readonly clerk: Process
  private readonly desk: ReturnType<City['storeOf']>
  private readonly listedAtMs: number
  private readonly begun = new Map<string, Execution>()
  private readonly seed: number
  /** The deposits' names in the story, by execution. */
  private readonly names = new Map<string, string>()
  private expected: number
  private orders = 0
  private scanned = 0
  private isScanning = false
  private lastLook = { changes: -1, isSettled: false }

  constructor(
    private readonly plan: Plan,
    private readonly loop: Loop,
  ) {
    const { seed } = plan
    this.seed = seed
    this.expected = allDeposits.filter((n) => n !== depositNumbers.silent && hasDeposit(plan, n)).length
    this.chance = dice(seed)
    const places = dice(seed + 2)
    this.mongo = new SimulatedMongo({ batch: batchMax, moves: () => places.chance(0.5) }, (...write) =>
      this.wrote(...write),
    )
    this.executions = storedIn(this.mongo, 'executions')
    this.relayerRecords = storedIn(this.mongo, 'senders')
    this.clerk = new Process(loop, dice(seed + 3), { ...noFaults }, 'The scanner')
    this.desk = this.storeOf(this.clerk, 'clerk')
    this.chain = new Chain(dice(seed + 1), (sentence) => loop.tell(sentence))
    this.bridge = new Bridge(
      this.chain,
      this.chance,
      (account, amount, refundOf) => {
        this.expected += 1
        const hash = hashOf(0x900_0000 + this.expected)
        const order = [...this.chain.standing.used.values()].find(({ transfer }) => transfer === refundOf)!.order
        this.deposit(`the refund of ${this.orderOf(order.routeId)}`, {
          hash,
          account,
          amount,
          from: addressOf(0xb1),
          refundOf,
        })
      },
      isForsaken,
      (account) => account === accountOf(villainLane) && loop.time < listedAfterMs,
      hasSecond(seed),
      (account) => this.nativeFeeOf(account),
    )
    const { usual, forsaken, silent, villain: villains, large } = depositNumbers
    this.listedAtMs = this.chance.between(listedAfterMs, 2 * listedAfterMs)
    if (villains.some((n) => hasDeposit(plan, n)))
      loop.after(this.listedAtMs, () => loop.tell('The security list gets the sender of deposit 18'))
    this.arriveLater(villains[0], villainLane, this.chance.between(0, 30_000), { from: villain })
    this.arriveLater(villains[1], villainLane, this.listedAtMs + this.chance.between(1, 120_000))
    for (const n of large) this.arriveLater(n, largeLane, this.chance.between(0, faultsEndMs * 0.8), { times: 1_000n })
    for (const lane of [villainLane, largeLane]) this.changeIntent(lane, this.chance.between(0, 20_000))
    const lanes = forsakenLane + 1 + (isRush(seed) ? rushLanes : 0)
    for (let lane = 0; lane < lanes; lane++) this.changeIntent(lane, this.chance.between(0, 120_000))
    let burst = 0
    for (const [n, number] of usual.entries()) {
      if (n % (isRush(seed) ? usual.length : 4) === 0) burst = this.chance.between(0, faultsEndMs * 0.8)
      const lane = isRush(seed) ? forsakenLane + 1 + (n % rushLanes) : this.chance.below(laneCount)
      const amount = BigInt(Math.ceil(this.chance.between(1_000, 9_999)))
      const from = this.chance.chance(0.08) ? sanctioned : addressOf(0x5e)
      const afterMs = burst + this.chance.between(0, isRush(seed) ? 0 : 15_000)
      this.arriveLater(number, lane, afterMs, { from, amount })
    }
    for (const n of forsaken) this.arriveLater(n, forsakenLane, this.chance.between(0, faultsEndMs))
    const silentLane = this.chance.below(laneCount)
    this.arriveLater(silent, silentLane, this.chance.between(0, faultsEndMs * 0.5), { isSilent: true })
  }

  /** How many deposits have arrived or were refunded. */
  get deposits(): number {
    return this.names.size
  }

  nameOf = (id: string): string => this.names.get(id) ?? id

  private deposit(name: string, arrival: Arrival): void {
    this.names.set(depositIdOf(8453, arrival.hash, 0), name)
    this.loop.tell(`${name[0]!.toUpperCase()}${name.slice(1)} of ${arrival.amount} arrives`)
    this.chain.deposit(arrival)
  }

  private arriveLater(n: number, lane: number, afterMs: number, { times = 1n, ...how }: Arriving = {}): void {
    if (!hasDeposit(this.plan, n)) return
    this.loop.after(afterMs, () => {
      const amount = how.amount ?? BigInt(Math.ceil(this.chance.between(1_000, 9_999))) * times
      const party = { account: accountOf(lane), from: addressOf(0x5e), refundOf: null }
      this.deposit(`deposit ${n}`, { hash: hashOf(n), ...party, ...how, amount })
    })
  }

  /** Whether the villain has been on the security list for so long. */
  isListedFor(ms: number): boolean {
    return this.loop.time >= this.listedAtMs + ms
  }

  /** Native fee of an account's bridge routes, in wei: 200 units of any token here, for every second account. */
  nativeFeeOf(account: string): bigint {
    return BigInt(account) % 2n === 0n ? 200n * 10n ** 12n : 0n
  }

  /** Amount that arrived in an account without a record. */
  silentIn(account: string): bigint {
    const arrivals = this.chain.blocks.slice(0, this.chain.standing.number + 1).flatMap((block) => block.arrivals)
    return sumOf(arrivals.filter((one) => one.isSilent && one.account === account).map(({ amount }) => amount))
  }

  /** Leaves a relayer key without coin until a given time. */
  empty({ address }: { address: string }, untilMs: number): void {
    this.loop.tell(`Relayer key ${shortOf(address)} has no coin for ${Math.round(untilMs / 1_000)} s`)
    this.chain.poorUntil.set(address, chainSeconds(untilMs))
  }

  /** Fills all slots of a relayer key with transactions that miners ignore until a given time. */
  crowd({ id, address }: { id: string; address: string }, untilMs: number): void {
    this.loop.tell(`All slots of relayer key ${shortOf(address)} are taken for ${Math.round(untilMs / 1_000)} s`)
    this.chain.stuckUntil.set(address, chainSeconds(untilMs))
    const fee = { feeCap: 10n, tip: 1n }
    let sender: Relayer = { id, version: 0, slots: [] }
    for (let nonce = 0; nonce < unminedMax; nonce++) {
      const signed = this.sign(id, nonce, [], fee)
      void this.chain.send(signed.bytes)
      sender = withSlot(sender, nonce, null, { ...signed, feeCap: '10', tip: '1', at: 0 })
    }
    const { id: _id, slots } = sender
    this.mongo.rows('senders').insert({ _id, version: 1, writer: 'city', slots })
  }

  get isSettled(): boolean {
    // These counters only grow, and the result depends on nothing else.
    const stores = ['executions', 'senders', 'deliveries', 'events'].map((name) => this.mongo.rows(name))
    const changes = stores.reduce((sum, { writes }) => sum + writes, this.chain.mined + this.expected)
    if (changes !== this.lastLook.changes) {
      const isSettled = this.executions.all().length === this.expected && this.auditor.isSettled() && this.isLogged
      this.lastLook = { changes, isSettled }
    }
    return this.lastLook.isSettled
  }

  private firstDue = { writes: -1, at: Number.POSITIVE_INFINITY }
  /** Whether an execution is due. */
  isAnyDue(now: number): boolean {
    const writes = this.executions.writes()
    if (writes !== this.firstDue.writes) {
      const dues = this.executions.all().map(({ dueAt }) => dueAt ?? Number.POSITIVE_INFINITY)
      this.firstDue = { writes, at: Math.min(...dues) }
    }
    return this.firstDue.at <= now
  }

  /** Whether the log has an event for each entry of a history, and for each version of an intent. */
  private get isLogged(): boolean {
    const intents = [...this.mongo.rows('intents').documents.values()]
    return (
      this.executions.all().every(({ id, history }) => this.logAuditor.has(id, history.length)) &&
      intents.every(({ _id, version }) => this.logAuditor.has(_id, version as number))
    )
  }

  /** Whether a record has events that might not be in the log. */
  get isAnyMarked(): boolean {
    return ['executions', 'intents'].some((name) => {
      const documents = this.mongo.rows(name).documents.values()
      return documents.some((document) => valueIn(document, 'keys.unlogged') !== undefined)
    })
  }

  /** Whether the circuit of a provider is open, for all deposits or for some. */
  get isAnyShut(): boolean {
    return [...this.mongo.rows('providerGates').documents.values()].some(
      ({ shut, waiting }) => !!shut || Object.keys(waiting ?? {}).length > 0,
    )
  }

  /** Whether a relayer has transactions, or executions that wait for a slot. */
  get isAnySlotTaken(): boolean {
    return this.relayerRecords.all().some(({ slots, line = [] }) => slots.length + line.length > 0)
  }

  /** Changes the user's intent at random times, to this chain or to another. */
  private changeIntent(lane: number, delayMs: number): void {
    const change = async () => {
      const id = accountOf(lane)
      const isHere = this.chance.chance(0.3) && lane !== forsakenLane
      const stored = await this.desk.intents.load(id)
      const target: Pick<DepositIntent, 'targetChainId' | 'targetTokenAddress'> = isHere
        ? { targetChainId: 8453, targetTokenAddress: token }
        : { targetChainId: 42161, targetTokenAddress: targetToken }
      await this.desk.intents.save({
        id,
        version: stored?.version ?? 0,
        organizationId: 'org_1',
        userId: `user-${lane}`,
        apiKeyId: 'key_1',
        ...target,
        targetAddress: addressOf(0x1d000000 + Math.floor(this.loop.time)),
        protocolFeeBps,
        sponsoredGas: this.chance.chance(0.3),
        createdAt: 0,
        updatedAt: this.clerk.now(),
        refundAddress: null,
      })
      this.loop.tell(
        `The intent of user-${lane} is ${stored ? 'changed' : 'stored'}, with a target on chain ${target.targetChainId}`,
      )
      const isLater = this.loop.time < faultsEndMs && hasTrouble(this.plan, 'changed-intents')
      if (isLater) this.changeIntent(lane, this.chance.between(60_000, 300_000))
    }
    this.loop.after(delayMs, () => void this.clerk.work(`changes the intent of user-${lane}`, change), null)
  }

  /** Records every confirmed deposit, and advances the cursor only then. */
  scan(): void {
    if (this.isScanning) return
    this.isScanning = true
    void this.clerk.work('scans', async () => {
      await this.record()
      this.isScanning = false
    })
  }

  private async record(): Promise<void> {
    const { number } = this.chain.standing
    for (const block of this.chain.blocks.slice(this.scanned + 1, number + 1))
      for (const { hash, account, amount, from, isSilent } of block.arrivals) {
        if (isSilent) continue
        const deposit = {
          ...depositOf(0, { account, amountRaw: String(amount), block: block.number, txHash: hash }),
          fromAddress: from,
          detectedAt: this.loop.time,
        }
        const userId = `user-${Number(account) - Number(accountOf(0))}`
        const id = depositIdOf(8453, hash, 0)
        const found = { id, organizationId: 'org_1', userId, deposit, machineVersion: executionMachine.version! }
        await this.desk.executions.save(newExecution(found, this.clerk.now()))
      }
    this.scanned = Math.max(this.scanned, number)
  }

  private readonly signer: OrderSigner = {
    // every signature is unique, while the route id stays
    sign: async (execution, deadline) => signedOrder(execution, deadline, hashOf(0x5000_0000 + this.orders++)),
    draft: async () => ({}) as Order,
  }

  private readonly relayers: Relayers = {
    forRoute: (_chainId, routeId) => keys[Number(BigInt(routeId) % BigInt(keys.length))]!,
    onChain: () => keys,
    transaction: async (id, nonce, order, fee, also = []) => this.sign(id, nonce, [order, ...also] as Order[], fee),
    filler: async (id, nonce, fee) => this.sign(id, nonce, [], fee),
    mayShare: () => true,
    mintObjection: () => null,
  }

  private sign(id: string, nonce: number, orders: readonly Order[], fee: { feeCap: bigint; tip: bigint }) {
    return this.chain.sign({ key: keys.find((key) => key.id === id)!.address, nonce, orders, fee })
  }

  /** Each process treats every execution once as just begun, as a worker that was asleep since then would. */
  private withBegun(executions: Executions): Executions {
    const taken = new Set<string>()
    const begun = (id: string): Execution | null => {
      if (taken.has(id)) return null
      taken.add(id)
      return this.begun.get(id) ?? null
    }
    return new Proxy(executions, { get: (target, name) => (name === 'begun' ? begun : Reflect.get(target, name)) })
  }

  /** Audits a write, and adds it to the story. */
  private wrote(collection: string, before: Doc | null, after: Doc): void {
    this.loop.note(`${collection} ${after._id} ${after['version']}`)
    if (before && before['version'] === after['version']) return
    const name = this.loop.life?.process.name ?? 'The world'
    if (collection === 'executions') {
      const [last, execution] = [before && recordOf<Execution>(before), recordOf<Execution>(after)]
      const { id, state, status, cause, facts } = execution
      const why = cause && (status === 'FAILED' || isTerminal(state)) ? ` (${cause.code})` : ''
      const waits = facts.waiting ? `, which waits for ${facts.waiting.for}` : ''
      this.loop.tell(
        last ? `${name} stores ${this.nameOf(id)} as ${state}${why}${waits}` : `${name} records ${this.nameOf(id)}`,
      )
      if (!last && hasTrouble(this.plan, 'old-records')) this.begun.set(id, execution)
      this.auditor.wrote('execution', last, execution)
    }
    if (collection === 'events') {
      const { _id, ...event } = after as unknown as LoggedEvent & { _id: string }
      for (const rule of this.logAuditor.appended({ ...event, position: Number(_id) })) this.auditor.found.add(rule)
    }
    if (collection === 'senders') {
      const sender = recordOf<Relayer>(after)
      const nonces = sender.slots.map(({ nonce }) => nonce).join(', ')
      this.loop.tell(
        `${name} stores nonces ${nonces || 'none'} and ${sender.line?.length ?? 0} waiting for ${sender.id}`,
      )
      this.auditor.wrote('sender', null, sender)
    }
  }

  /** The real store, on this process's connection. */
  storeOf(process: Process, worker: string) {
    const connection = this.mongo.connect((command, act) => process.ask(async () => act(), connectionLost, command))
    const ports = withStoreErrorsEach({
      executions: mongoExecutions(connection, worker, process.now, batchMax),
      lanes: mongoLanes(connection, worker),
      deliveries: mongoDeliveries(connection, worker),
      relayerRecords: mongoSenders(connection, worker),
      intents: mongoIntents(connection, worker),
      intentHistory: mongoIntentHistory(connection),
      eventLog: mongoEventLog(connection),
      eventMarks: mongoEventMarks(connection),
      gates: mongoProviderGates(connection, worker),
      gasBooks: mongoGasBooks(connection, worker),
    })
    return { ...ports, connection }
  }

  private sending = (chain: Chain, { name }: Process): Chain =>
    Object.assign(Object.create(chain), {
      send: (bytes: Hash) => {
        const orders = this.chain.ordersIn(bytes).map(({ routeId }) => this.orderOf(routeId))
        const isNews = orders.length > 0 && !this.chain.hasPending(bytes)
        if (isNews) this.loop.tell(`${name} sends transaction ${shortOf(bytes)} with ${orders.join(' and ')}`)
        return chain.send(bytes)
      },
    })

  private orderOf(routeId: Hash): string {
    const whose = this.executions.all().find(({ facts }) => facts.routeId === routeId)
    return `the order of ${whose ? this.nameOf(whose.id) : shortOf(routeId)}`
  }

  /** The world as seen by one process, through a connection that loses and delays messages. */
  viewOf(process: Process, self: string): View & { connection: Connection } {
    const away = () => new RoutingError('RPC_TIMEOUT')
    const withSecond = hasSecond(this.seed) ? secondedBy : <Client>(client: Client) => client
    const here = withSecond(
      process.through(this.sending(this.auditor.guarding(this.chain), process), 'chain', away),
      process.through(this.chain, 'second node', away),
    )
    const secondThere = { ...this.bridge.secondDestination, confirmed: this.chain.confirmed }
    const there = withSecond(
      process.through(this.bridge.destination, 'destination', away),
      process.through(secondThere, 'second destination', away),
    )
    const { gates, eventLog, eventMarks, intentHistory, ...store } = this.storeOf(process, self)
    const { forRoute, onChain, mayShare, ...signing } = this.relayers
    const provider = process.through(this.bridge.provider, 'provider', () => new RoutingError('PROVIDER_UNREACHABLE'))
    return {
      ...store,
      executions: this.withBegun(store.executions),
      log: { records: { ...unmarked, ...store, intentHistory }, eventLog, eventMarks },
      chains: perChain((id) => (id === 8453 ? here : there)) as unknown as Chains,
      provider,
      aggregators: [
        gate(provider, {
          read: () => null,
          records: gates,
          tokens: usualTokens,
          quoteTimeoutMs: 3_600_000,
          now: process.now,
          onChange: () => {},
          self,
        }),
      ],
      blacklist: {
        isListed: (_kind, _chainId, address) => address === sanctioned || (address === villain && this.isListedFor(0)),
      },
      signer: process.through(this.signer, 'signer'),
      relayers: { ...process.through(signing, 'signer'), forRoute, onChain, mayShare },
      ordersPerTransaction: 10,
      scannedTo: () => process.ask(async () => this.scanned, undefined, 'scanned block'),
      now: process.now,
    }
  }
}
