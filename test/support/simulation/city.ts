import type { Connection } from 'mongoose'
import {
  mongoDeliveries,
  mongoGasBooks,
  mongoProviderGates,
  mongoQuotaBooks,
  mongoScanCursors,
  mongoSenders,
} from '../../../src/adapters/mongo/collections/books'
import { mongoEventLog, mongoEventMarks } from '../../../src/adapters/mongo/collections/events'
import { mongoExecutions } from '../../../src/adapters/mongo/collections/executions'
import { mongoIntentHistory, mongoIntents } from '../../../src/adapters/mongo/collections/intents/intents'
import { mongoLanes } from '../../../src/adapters/mongo/collections/lanes'
import { mongoSightings } from '../../../src/adapters/mongo/collections/sightings'
import { withStoreErrorsEach } from '../../../src/adapters/mongo/engine/store-errors'
import type { Intake } from '../../../src/detection/intake/intake'
import { chainKeyOf, perChain } from '../../../src/domain/chain/chain'
import type { Address, Hash } from '../../../src/domain/chain/hex'
import { type Relayer, unminedMax, withSlot } from '../../../src/domain/chain/relayer'
import type { DepositIntent } from '../../../src/domain/deposit/deposit-intent'
import { RoutingError } from '../../../src/domain/error'
import { depositIdOf, type Execution } from '../../../src/domain/execution/execution'
import { retry } from '../../../src/domain/execution/retry'
import { isTerminal } from '../../../src/domain/execution/status'
import { intentObjection } from '../../../src/domain/seals'
import { SignerSilent, TemporarilyUnavailable } from '../../../src/domain/unavailable'
import type { Chains } from '../../../src/ports/chain-client'
import type { Executions } from '../../../src/ports/executions'
import type { OrderSigner, Relayers } from '../../../src/ports/signer'
import type { LoggedEvent } from '../../../src/ports/webhooks'
import { gate } from '../../../src/providers/gate'
import { cctpRules } from '../../../src/signer/cctp-burn'
import { usualTokens } from '../outage'
import { seals } from '../seals'
import { Auditor } from './auditor'
import { type Books, booksOf } from './books'
import { Bridge, bridgeRules, offerObjection } from './bridge'
import { CappedSigner } from './capped-signer'
import { Chain, chainSeconds, shortOf } from './chain'
import { Circle } from './circle'
import { type Doc, valueIn } from './documents'
import { IntentAuditor } from './intent-auditor'
import { LogAuditor } from './log-auditor'
import { type Dice, dice, type Loop, noFaults, Process } from './loop'
import {
  accountOf,
  faultsEndMs,
  hasSecond,
  isAbandoned,
  isCapped,
  isMintAccount,
  isMinting,
  isMintKey,
  listedAfterMs,
  nativeFeeOf,
  ownerOf,
  sanctioned,
  villain,
  villainLane,
} from './parties'
import { hasTrouble, type Plan } from './plan'
import { hasQuotas, type QuotaBug, quotaFaults, quotaLimits } from './quotas'
import { isAsSigned, orderSigner, relayersOn, signerCore, signWith } from './signing'
import { SimulatedMongo } from './simulated-mongo'
import { recordOf, type Stored, storedIn, unmarked } from './stored-records'
import { recordingFaults } from './sweeper'
import { hasSweep, Users } from './users'
import { secondedBy, type View } from './view'

/** Most rows of a response. A lane of this world then takes several, as a lane of thousands does. */
const batchMax = 7
const connectionLost = () =>
  Object.assign(new Error('connection 1 to the database closed'), { name: 'MongoNetworkError' })

/** Everything except the workers: the stores, the chain, the scanner, the signer, the users and their intents. */
export class City {
  readonly chance: Dice
  readonly chain: Chain
  readonly bridge: Bridge
  readonly mongo: SimulatedMongo
  readonly executions: Stored<Execution>
  readonly relayerRecords: Stored<Relayer>
  readonly users: Users
  readonly nativeFeeOf = nativeFeeOf
  readonly protocolFeeBpsOf = (account: string) => ownerOf(account).protocolFeeBps
  readonly auditor = new Auditor(this)
  private readonly intentAuditor = new IntentAuditor()
  private readonly logAuditor = new LogAuditor((id) => this.users.organizationOf(id))
  /** Stores intents, without any fault. */
  private readonly clerk: Process
  private readonly begun = new Map<string, Execution>()
  private readonly relayers: Relayers
  private readonly books: Books
  private readonly signer: OrderSigner
  /** The signer, if it is a separate process. */
  readonly cappedSigner: CappedSigner | null
  /** Burns and mints, which most worlds lack. */
  readonly circle: Circle | null
  private lastLook = { changes: -1, isSettled: false }

  constructor(
    private readonly plan: Plan,
    readonly loop: Loop,
  ) {
    const { seed } = plan
    this.chance = dice(seed)
    const places = dice(seed + 2)
    this.mongo = new SimulatedMongo({ batch: batchMax, moves: () => places.chance(0.5) }, (...write) =>
      this.wrote(...write),
    )
    this.executions = storedIn(this.mongo, 'executions')
    this.relayerRecords = storedIn(this.mongo, 'senders')
    this.clerk = new Process(loop, dice(seed + 3), { ...noFaults }, 'The desk')
    this.books = booksOf(this)
    const desk = this.storeOf(this.clerk, 'clerk')
    this.chain = new Chain(dice(seed + 1), (sentence) => loop.narrate(sentence), isAsSigned)
    this.users = new Users(plan, loop, this.chance, this.chain, this.clerk, desk.intents)
    this.circle = isMinting(seed) ? new Circle(plan, loop, this.chain, () => loop.time > faultsEndMs) : null
    this.relayers = relayersOn(this.chain, this.circle?.there ?? null)
    const core = signerCore([...bridgeRules, ...cctpRules()], (why) => this.auditor.refused(why))
    const signing = new Process(loop, dice(seed + 43), { ...noFaults, slow: 0.05 }, 'The signer')
    const isApart = isCapped(seed) && hasTrouble(plan, 'hourly-caps')
    this.cappedSigner = isApart
      ? new CappedSigner(loop, signing, this.chain, core, (rule) => this.auditor.found.add(rule))
      : null
    this.signer = this.cappedSigner?.signer ?? orderSigner(core)
    this.bridge = new Bridge(
      this.chain,
      this.chance,
      (account, amount, refundOf) => {
        const order = [...this.chain.standing.used.values()].find(({ transfer }) => transfer === refundOf)!.order
        this.users.refund(this.orderOf(order.routeId), { account, amount, refundOf })
      },
      (account) => isAbandoned(account) && !this.hasGivenUp(account),
      (account) => isMintAccount(account) || (account === accountOf(villainLane) && loop.time < listedAfterMs),
      hasSecond(seed),
      nativeFeeOf,
    )
  }

  /** Whether a deposit of an account has ended after all its retries. */
  private hasGivenUp(account: string): boolean {
    const ofAccount = this.executions.all().filter(({ deposit }) => deposit.account === account)
    return ofAccount.some(({ state, retryCount }) => state === 'DEAD_LETTER' && retryCount === retry.retriesMax)
  }

  /** Leaves a relayer key without coin until a given time. */
  empty({ address }: { address: string }, untilMs: number): void {
    this.loop.narrate(`Relayer key ${shortOf(address)} has no coin for ${Math.round(untilMs / 1_000)} s`)
    this.chain.poorUntil.set(address, chainSeconds(untilMs))
  }

  /** Fills all slots of a relayer key with transactions that miners ignore until a given time. */
  crowd({ id, address }: { id: string; address: string }, untilMs: number): void {
    this.loop.narrate(`All slots of relayer key ${shortOf(address)} are taken for ${Math.round(untilMs / 1_000)} s`)
    this.chain.stuckUntil.set(address, chainSeconds(untilMs))
    const fee = { feeCap: 10n, tip: 1n }
    let sender: Relayer = { id, version: 0, slots: [] }
    for (let nonce = 0; nonce < unminedMax; nonce++) {
      const signed = signWith(this.chain, id, nonce, [], fee)
      void this.chain.send(signed.bytes)
      sender = withSlot(sender, nonce, null, { ...signed, feeCap: '10', tip: '1', at: 0 })
    }
    const { id: _id, slots } = sender
    this.mongo.rows('senders').insert({ _id, version: 1, writer: 'city', slots })
  }

  /** The chain loses blocks that were confirmed. */
  dropConfirmed(depth: number): void {
    this.loop.narrate('The chain drops confirmed blocks')
    const mined = this.chain.tip.nonces
    this.chain.deepReorg(depth)
    this.auditor.loseNonces(mined)
  }

  private limitFaults = (): string[] => (hasQuotas(this.plan) ? quotaFaults(this.executions.all()) : [])

  /** The rules that the world has broken at its end. */
  close(): string[] {
    this.note([...(this.circle?.faults(this.executions.all()) ?? []), ...this.limitFaults()])
    return this.auditor.close()
  }

  /** Whether balances are compared with records. */
  get sweeps(): boolean {
    return hasSweep(this.plan)
  }

  get isSettled(): boolean {
    // These counters only grow, and the result depends on nothing else.
    const stores = ['executions', 'senders', 'deliveries', 'events'].map((name) => this.mongo.rows(name))
    const changes = stores.reduce((sum, { writes }) => sum + writes, this.chain.mined + this.users.expected)
    if (changes !== this.lastLook.changes) {
      const isSettled = this.isRecorded && this.auditor.isSettled() && this.isLogged
      this.lastLook = { changes, isSettled }
    }
    return this.lastLook.isSettled
  }

  /** Whether every deposit has its execution. The sweep can find several at once. */
  private get isRecorded(): boolean {
    const { length } = this.executions.all()
    return this.sweeps
      ? this.users.coming === 0 && recordingFaults(this, true).length === 0
      : length === this.users.expected
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
    return ['executions', 'intents', 'sightings'].some((name) => {
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

  private note(broken: readonly string[]): void {
    for (const rule of broken) this.auditor.found.add(rule)
  }

  /** The API answered that a change was stored. */
  answered = (account: Address, target: Address): void => this.note(this.intentAuditor.answered(account, target))

  /** An intake that must have stored what it calls shown. */
  watchingIntake = (intake: Intake): Intake => ({
    ...intake,
    seen: async (chainId, transfer, ...more) => {
      const taken = await intake.seen(chainId, transfer, ...more)
      const id = depositIdOf(chainId, transfer.txHash, transfer.logIndex)
      const isStored = ['sightings', 'executions'].some((name) => this.mongo.rows(name).documents.has(id))
      if (taken !== 'IGNORED' && !isStored) this.note(['a transfer counts as shown that is not stored'])
      return taken
    },
  })

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
      this.loop.narrate(
        last
          ? `${name} stores ${this.users.nameOf(id)} as ${state}${why}${waits}`
          : `${name} records ${this.users.nameOf(id)}`,
      )
      if (!last && execution.redriveOf) this.users.expected += 1
      if (!last && hasTrouble(this.plan, 'old-records')) this.begun.set(id, execution)
      this.auditor.wrote('execution', last, execution)
      this.note(this.intentAuditor.wrote(last, execution))
      if (!last) this.note(recordingFaults(this, false))
      if (facts.quotaKey && !last?.facts.quotaKey) this.note(this.limitFaults())
    }
    if (collection === 'events') {
      const { _id, ...event } = after as unknown as LoggedEvent & { _id: string }
      this.note(this.logAuditor.appended({ ...event, position: Number(_id) }))
    }
    if (collection === 'intents') this.note(this.intentAuditor.stored(recordOf<DepositIntent>(after)))
    if (collection === 'senders') {
      const sender = recordOf<Relayer>(after)
      const nonces = sender.slots.map(({ nonce }) => nonce).join(', ')
      this.loop.narrate(
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
      quotaBooks: mongoQuotaBooks(connection, worker),
      sightings: mongoSightings(connection, worker),
      cursors: mongoScanCursors(connection, worker),
    })
    return { ...ports, connection }
  }

  private sending = (chain: Chain, { name }: Process): Chain =>
    Object.assign(Object.create(chain), this.circle?.contracts, {
      send: (bytes: Hash) => {
        const orders = this.chain.ordersIn(bytes).map(({ routeId }) => this.orderOf(routeId))
        const isNews = orders.length > 0 && !this.chain.hasPending(bytes)
        if (isNews) this.loop.narrate(`${name} sends transaction ${shortOf(bytes)} with ${orders.join(' and ')}`)
        return chain.send(bytes)
      },
    })

  chainOf = (relayerId: string): Chain => (isMintKey(relayerId) ? this.circle!.there : this.chain)

  /** What the chains refuse although no process may send it. */
  get refused(): readonly string[] {
    return [...this.chain.refused, ...(this.circle?.there.refused ?? [])]
  }

  private orderOf(routeId: Hash): string {
    const whose = this.executions.all().find(({ facts }) => facts.routeId === routeId)
    return `the order of ${whose ? this.users.nameOf(whose.id) : shortOf(routeId)}`
  }

  /** The world as seen by one process, through a connection that loses and delays messages. */
  viewOf(process: Process, self: string): View & { connection: Connection } {
    const away = () => new RoutingError('RPC_TIMEOUT')
    const withSecond = hasSecond(this.plan.seed) ? secondedBy : <Client>(client: Client) => client
    const here = withSecond(
      process.through(this.sending(this.auditor.guarding(this.chain), process), 'chain', away),
      process.through(this.chain, 'second node', away),
    )
    const secondThere = { ...this.bridge.secondDestination, confirmed: this.chain.confirmed }
    const { destination } = this.bridge
    const there = withSecond(
      process.through(this.circle?.clientOf(this.auditor, destination) ?? destination, 'destination', away),
      process.through(secondThere, 'second destination', away),
    )
    const { gates, quotaBooks, eventLog, eventMarks, intentHistory, sightings, cursors, ...store } = this.storeOf(
      process,
      self,
    )
    const { forRoute, onChain, mayShare, mintObjection, ...signing } = this.relayers
    const chains = perChain((id) => (id === 8453 ? here : there)) as unknown as Chains
    const gating = { records: gates, tokens: usualTokens, quoteTimeoutMs: 3_600_000, onChange: () => {}, self }
    const provider = process.through(this.bridge.provider, 'provider', () => new RoutingError('PROVIDER_UNREACHABLE'))
    return {
      ...store,
      executions: this.withBegun(store.executions),
      books: this.books,
      watching: { sightings, cursors },
      log: { records: { ...unmarked, ...store, sightings, intentHistory }, eventLog, eventMarks },
      chains,
      provider,
      aggregators: [
        gate(provider, { ...gating, read: offerObjection, now: process.now }),
        ...(this.circle ? [this.circle.gateFor(process, chains, gating)] : []),
      ],
      blacklist: {
        isListed: (_kind, _chainId, address) =>
          address === sanctioned || (address === villain && this.users.isListedFor(0)),
      },
      signer: process.through(this.signer, 'signer', () =>
        this.cappedSigner ? new SignerSilent(2_000) : new TemporarilyUnavailable('the signer', 10_000, 'SIGNER'),
      ),
      ...(hasQuotas(this.plan) && {
        limitsWith: (bug: QuotaBug | undefined) =>
          quotaLimits({ executions: store.executions, quotaBooks }, process, bug),
      }),
      sealing: { seals, verifyIntent: async (execution) => intentObjection(seals, execution) },
      relayers: { ...process.through(signing, 'signer'), forRoute, onChain, mayShare, mintObjection },
      ordersPerTransaction: 10,
      scannedTo: async (chainId) => (await cursors.load(chainKeyOf(chainId)))?.scannedBlock ?? -1,
      now: process.now,
    }
  }
}
