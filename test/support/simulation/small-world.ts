import { lastValueFrom } from 'rxjs'
import { executionMachine } from '../../../machines/execution'
import { perChain } from '../../../src/domain/chain/chain'
import type { Hash } from '../../../src/domain/chain/hex'
import type { Relayer } from '../../../src/domain/chain/relayer'
import type { DepositIntent } from '../../../src/domain/deposit/deposit-intent'
import { depositIdOf, type Execution, newExecution, type ReservedMoney } from '../../../src/domain/execution/execution'
import type { Lane } from '../../../src/domain/execution/lane'
import type { Order } from '../../../src/domain/execution/route'
import type { Chains } from '../../../src/ports/chain-client'
import type { DeliveryClaim } from '../../../src/ports/executions'
import type { Gate } from '../../../src/ports/gate'
import type { OrderSigner } from '../../../src/ports/signer'
import type { Aggregator } from '../../../src/providers/aggregator'
import { tend } from '../../../src/routing/delivery/relayer-transactions'
import { advance } from '../../../src/routing/engine/advance'
import { account, addressOf, depositOf, hashOf, sender } from '../deposits'
import { executionsInMemory, recordsOf } from '../records'
import { type Audited, Auditor } from './auditor'
import { blockMs, chainSeconds } from './chain'
import { keys } from './parties'
import { chainReads, hashOfText, provider, SmallChain, signedOrder } from './small-chain'
import { digestOf, type Fate, isWrite, type Op, SteppedWorker, type Stretches, type Task } from './stepped-worker'
import { type Bug, stepsOf, type View } from './view'

/** Protocol fee of the one API key. */
const protocolFeeBps = 100

/** A disturbance, which counts towards the bound on faults. */
export type Fault =
  /** A worker dies just after a write, before it gets the response. Death before a write is death after the last one. */
  | 'crash'
  /** A worker gets an error although its write took effect. */
  | 'lost'
  /** A worker sleeps between two requests while time passes, and continues at any later moment. */
  | 'sleep'
  /** The same, just before a write: all that it has read may be outdated. */
  | 'stall'
  /** A second worker takes an execution that is under way. */
  | 'twice'
  /** A worker takes an execution before it is due. */
  | 'early'
  /** A worker starts from the record as it was first stored. */
  | 'stale'
  /** A worker tends the relayer's transactions. */
  | 'tend'

/** @property isReduced False performs operations whose order makes no difference in every order. */
export type Bounds = {
  workers: number
  deposits: number
  faults: number
  kinds: readonly Fault[]
  isReduced?: boolean
}

type Way = 'due' | 'twice' | 'early' | 'stale'
/** A possible next event. `cost` is the number of faults in it. */
export type Action = { worker: number; cost: number } & (
  | { kind: 'take'; id: string; way: Way }
  | { kind: 'tend' }
  | { kind: 'go'; place: number; fate: Fate }
  | { kind: 'pass' }
)

/** After this time a deposit that has not ended counts as stuck. */
const horizonMs = 10 * 60_000
const wayWords: Record<Way, string> = { due: '', twice: ' as well', early: ' early', stale: ' from an old copy' }

const parts = new WeakMap<ReservedMoney, ReservedMoney>()

/** The part of a record that the real store reads here. A worker that learns less has fewer states. */
function reservedPart(record: ReservedMoney): ReservedMoney {
  const { id, state, redriveOf, redrivenBy, deposit, facts } = record
  const { spent, order, balance } = facts
  const part = { spent: spent && true, order: order && true, ...(balance && { balance }) }
  const read = parts.get(record) ?? Object.freeze({ id, state, redriveOf, redrivenBy, deposit, facts: part })
  parts.set(record, read)
  return read
}

const faultOf = { loses: 'lost', dies: 'crash' } as const
const fateWords: Record<Fate, string> = { lives: '', loses: ', and gets an error', dies: ', and dies' }

const texts = new WeakMap<object, string>()

/** The text of a part of a world, which is made once: a part that changes is another one. */
function textOf<Part extends object>(part: Part, make: (part: Part) => string): string {
  const text = texts.get(part) ?? make(part)
  texts.set(part, text)
  return text
}

/**
 * Deposits of one lane and a few workers with the product's code. A caller chooses each next event: a request
 * takes effect, a worker dies, or time passes. A worker reads its clock when it gets a
 * response, which is when the request takes effect. It begins each task without memory of earlier ones.
 */
export class SmallWorld implements Audited {
  readonly executions = executionsInMemory()
  readonly relayerRecords = recordsOf<Relayer>('senders')
  private readonly lanes = recordsOf<Lane>('lanes')
  private readonly deliveries = recordsOf<DeliveryClaim>('deliveries')
  private readonly intents = recordsOf<DepositIntent>('intents')
  private readonly stores = [this.executions, this.lanes, this.deliveries, this.relayerRecords] as const
  private readonly auditor = new Auditor(this)
  private readonly first: readonly Execution[]
  private readonly workers: readonly SteppedWorker[]
  readonly chain = new SmallChain()
  private time = 0
  private faults = 0
  private signatures: Record<string, number> = {}

  constructor(
    readonly bounds: Bounds,
    private readonly bug: Bug | null = null,
  ) {
    const run = (task: Task, worker: SteppedWorker) => this.run(task, worker)
    const stretches: Stretches = new Map()
    this.workers = Array.from({ length: bounds.workers }, () => new SteppedWorker(run, stretches))
    for (let n = 1; n <= bounds.deposits; n++)
      this.chain.deposit({ hash: hashOf(n), account, amount: 1_000n * 2n ** BigInt(n), from: sender, refundOf: null })
    this.passUntil(2 * blockMs)
    const whose = { organizationId: 'org_1', userId: 'user-1' }
    const terms = { apiKeyId: 'key_1', protocolFeeBps, sponsoredGas: true, createdAt: 0, updatedAt: 0 }
    const target = { targetChainId: 42161, targetTokenAddress: addressOf(0x71), targetAddress: addressOf(0x1d00_0000) }
    this.intents.restore([
      { id: account, version: 1, ...whose, ...terms, ...target, refundAddress: null } as DepositIntent,
    ])
    this.first = this.chain.blocks[1]!.arrivals.map(({ hash, amount, from }) => {
      const arrival = { amountRaw: String(amount), txHash: hash, fromAddress: from, detectedAt: this.time }
      const found = { id: depositIdOf(8453, hash, 0), ...whose, deposit: depositOf(0, arrival) }
      const record = newExecution({ ...found, machineVersion: executionMachine.version! }, this.time)
      return Object.freeze({ ...record, version: 1 })
    })
    this.executions.restore(this.first)
  }

  readonly bridge = { delivers: () => true, isReal: () => true }
  nativeFeeOf = () => 0n
  protocolFeeBpsOf = () => protocolFeeBps
  readonly loop = { longestFreezeMs: 0 }
  readonly users = { isListedFor: () => false, silentIn: () => 0n }
  get isSettled(): boolean {
    return this.auditor.isSettled()
  }

  /** The rules broken by the last action. */
  get found(): readonly string[] {
    return [...this.auditor.found, ...this.chain.refused]
  }

  /** The rules broken by a history that has ended. Every deposit must have been delivered. */
  foundAtEnd(): readonly string[] {
    const failed = this.executions.all().filter(({ state }) => state !== 'SUCCESS')
    const left = this.chain.standing.balances.get(account)
    return [
      ...this.auditor.close(),
      ...failed.map(({ id, state }) => `${this.nameOf(id)} ended in ${state}`),
      ...(left === 0n ? [] : [`${left} are still in the account`]),
    ]
  }

  /** Everything that decides what can follow. Workers are alike, so their order does not count. */
  get digest(): bigint {
    const stored = this.stores.map((store) =>
      textOf<readonly object[]>(store.unchanged(), (all) => all.map(digestOf).toSorted().join()),
    )
    const workers = this.workers.map(({ digest, isAsleep }) => `${digest} ${isAsleep}`).toSorted()
    const audited = textOf(this.auditor.seen, ({ bytes, nonces, places }) =>
      [...bytes, ...nonces, ...places].map(String).toSorted().join(),
    )
    const signed = textOf(this.signatures, (all) => Object.entries(all).toSorted().join())
    const all = [this.time, this.faults, this.chain.digest, ...stored, workers, audited, signed]
    return BigInt(Bun.hash(all.join('|')))
  }

  snapshot() {
    const { time, faults, signatures } = this
    const stores = this.stores.map((store) => store.unchanged())
    const workers = this.workers.map(({ known }) => known)
    return { time, faults, signatures, stores, workers, chain: this.chain.state, seen: this.auditor.seen }
  }

  restore({ stores, workers, chain, seen, ...rest }: ReturnType<SmallWorld['snapshot']>): void {
    for (const [n, store] of this.stores.entries()) store.restore(stores[n] as never)
    Object.assign(this, rest)
    this.chain.state = chain
    this.auditor.seen = seen
    for (const [n, worker] of this.workers.entries()) worker.resume(workers[n]!)
  }

  private mayFault(...kinds: Fault[]): boolean {
    return this.faults < this.bounds.faults && kinds.some((kind) => this.bounds.kinds.includes(kind))
  }

  /** All events that can happen next; none once every deposit has ended. */
  actions(): Action[] {
    if (this.time > horizonMs) return []
    const unnoticed = this.workers.findIndex((one) => !one.isAsleep && one.pending.some((op) => this.isUnnoticed(op)))
    if (unnoticed >= 0)
      return this.requestsOf(unnoticed)
        .filter(({ op }) => this.isUnnoticed(op))
        .map(toAction)
    const requests = this.workers.flatMap((_, n) => this.requestsOf(n)).map(toAction)
    const taking = this.takeable()
    const isOwed = taking.some((action) => action.kind === 'take' && action.way === 'due')
    return [...requests, ...taking, ...(isOwed ? [] : this.passing())]
  }

  private requestsOf(worker: number) {
    const fates = (['lives', 'loses', 'dies'] as const).filter(
      (fate) => fate === 'lives' || this.mayFault(faultOf[fate]),
    )
    return this.workers[worker]!.pending.flatMap((op, place) =>
      fates.filter((fate) => fate === 'lives' || isWrite(op)).map((fate) => ({ worker, op, place, fate })),
    )
  }

  /** The tasks that a free worker can take. Free workers are alike. */
  private takeable(): Action[] {
    const worker = this.workers.findIndex(({ task }) => task === null)
    if (worker < 0) return []
    const unfinished = this.executions.all().filter(({ dueAt }) => dueAt !== null)
    const isHeld = (id: string) => this.workers.some(({ task, isAsleep }) => task?.id === id && !isAsleep)
    const ways = unfinished.map(({ id, dueAt, version }): [Way, boolean, string][] => [
      ['due', dueAt! <= this.time && !isHeld(id), id],
      ['twice', dueAt! <= this.time && isHeld(id) && this.mayFault('twice'), id],
      ['early', dueAt! > this.time && this.mayFault('early'), id],
      ['stale', version > 1 && this.mayFault('stale'), id],
    ])
    const takes = ways.flat().filter(([, isPossible]) => isPossible)
    const isTending = this.workers.some(({ task }) => task?.id === null)
    const mayTend = this.mayFault('tend') && !isTending && this.relayerRecords.all().length > 0
    return [
      ...takes.map(([way, , id]): Action => ({ kind: 'take', worker, id, way, cost: way === 'due' ? 0 : 1 })),
      ...(mayTend ? [{ kind: 'tend', worker, cost: 1 } as const] : []),
    ]
  }

  /** Time passes only if no worker is awake and busy. A worker can fall asleep, but not all of them. */
  private passing(): Action[] {
    const awake = this.workers.filter(({ task, isAsleep }) => task !== null && !isAsleep)
    const areWriting = awake.every(({ pending }) => pending.some(isWrite))
    const { faults, kinds } = this.bounds
    const maySleep = kinds.includes('sleep') || (kinds.includes('stall') && areWriting)
    const isAllowed = awake.length === 0 || (maySleep && this.faults + awake.length <= faults)
    const isPossible = isAllowed && !this.workers.every(({ isAsleep }) => isAsleep)
    const isOver = this.executions.all().every(({ dueAt }) => dueAt === null)
    return isPossible && !isOver ? [{ kind: 'pass', worker: -1, cost: awake.length }] : []
  }

  /**
   * Performs an action, and then all requests whose order makes no difference.
   *
   * @returns The action in words.
   */
  apply(action: Action): string {
    this.faults += action.cost
    const words = this.happen(action)
    for (const worker of this.bounds.isReduced === false ? [] : this.affectedBy(action))
      for (let place = 0; place >= 0 && !worker.isAsleep; ) {
        place = worker.pending.findIndex((op) => this.isConstant(op))
        if (place >= 0) worker.go(place, this.time)
      }
    return words
  }

  /** The workers whose next requests this action may have changed: all if it leaves fewer faults. */
  private affectedBy({ worker, cost }: Action): SteppedWorker[] {
    return cost > 0 ? [...this.workers] : this.workers.slice(worker, worker + 1)
  }

  /**
   * Whether the response is the same whatever other workers do. A signature changes nothing, and no deposit here leads
   * to another one. A chain shows something else only after time has passed. A worker that can fall asleep anywhere can
   * do so before any request.
   */
  private isConstant(op: Op): boolean {
    const isRead = op.port === 'the chain' && !isWrite(op)
    return (op.port === 'the signer' || op.method === 'leadingTo' || isRead) && !this.mayFault('sleep')
  }

  /** Whether no other worker can notice the effect before time passes: a sent transaction waits for a block. */
  private isUnnoticed({ method }: Op): boolean {
    return this.bounds.isReduced !== false && method === 'send' && !this.mayFault('sleep', 'stall')
  }

  private happen(action: Action): string {
    if (action.kind === 'pass') return this.pass()
    const worker = this.workers[action.worker]!
    const name = `Worker ${action.worker + 1}`
    const at = this.time
    if (action.kind === 'tend') {
      worker.take({ id: null, isImmediate: false, isStale: false, at })
      return `${name} tends the relayer’s transactions`
    }
    if (action.kind === 'take') {
      const { id, way } = action
      worker.take({ id, isImmediate: way === 'early', isStale: way === 'stale', at })
      if (way !== 'stale') worker.go(0, at) // it reads the record
      return `${name} takes ${this.nameOf(id)}${wayWords[way]}`
    }
    const op = worker.pending[action.place]!
    const outcome = worker.go(action.place, at, action.fate)
    const isLate = op.method === 'save' && 'value' in outcome && outcome.value === null
    const end = `${isLate ? ', and another write was faster' : ''}${fateWords[action.fate]}`
    return `${name} ${this.wordsOf(op)}${end}`
  }

  private pass(): string {
    for (const worker of this.workers) worker.isAsleep = worker.task !== null
    const due = this.executions.all().flatMap(({ dueAt }) => (dueAt !== null && dueAt > this.time ? [dueAt] : []))
    this.passUntil(due.length > 0 ? Math.min(...due) : this.time + blockMs)
    const asleep = this.workers.flatMap(({ isAsleep }, n) => (isAsleep ? [`worker ${n + 1} sleeps`] : []))
    return [`Time passes until ${this.time} ms`, ...asleep].join('; ')
  }

  private passUntil(time: number): void {
    for (let at = (this.chain.tip.number + 1) * blockMs; at <= time; at += blockMs)
      this.chain.mine(chainSeconds(at), 10n)
    this.time = time
  }

  private nameOf = (id: unknown): string => `deposit ${this.first.findIndex((one) => one.id === id) + 1}`

  private wordsOf({ port, method, subject }: Op): string {
    if (method === 'send') return 'sends a transaction'
    if (port !== 'executions') return method === 'save' ? `writes to ${port}` : `reads ${port}`
    const { id, state } = subject as Execution
    if (method === 'save') return `stores ${this.nameOf(id)} as ${state}`
    return `reads ${method === 'load' ? this.nameOf(subject) : `the lane’s executions (${method})`}`
  }

  /** Runs a task with the product's code. */
  private run(task: Task, worker: SteppedWorker): Promise<unknown> {
    const plain = this.viewOf(worker)
    const view = { ...plain, ...this.bug?.({ ...plain }) }
    if (task.id === null) return tend(keys[0]!, { ...view, chain: view.chains[8453] })
    const context = { ...view, steps: stepsOf(view, { find: () => null }), random: () => 0, onBug: () => {} }
    return lastValueFrom(advance(task.id, task.isImmediate, context), { defaultValue: null })
  }

  private viewOf(worker: SteppedWorker): View {
    const { auditor, chain } = this
    let isStale = worker.task?.isStale
    const begun = (id: string) => {
      const copy = isStale ? this.first.find((one) => one.id === id) : null
      isStale = false
      return copy ?? null
    }
    const unspentIn = async (lane: string) => (await this.executions.unspentIn(lane)).map(reservedPart)
    const executions = { ...auditor.watching(this.executions, 'execution'), unspentIn, begun }
    const isChainRequest = (method: string) => method === 'send' || chainReads.includes(method)
    const here = worker.through(auditor.guarding(chain), 'the chain', isChainRequest)
    const there = worker.through(chain.destination, 'the chain', isChainRequest)
    const outcome = ({ hash }: { hash: Hash }) => worker.ask('the chain', 'outcome', hash, () => chain.outcome(hash))
    const following = { ...provider, outcome } as Aggregator
    return {
      executions: worker.through(executions, 'executions', (method) => method !== 'begun'),
      lanes: worker.through(this.lanes, 'the lane'),
      deliveries: worker.through(this.deliveries, 'the deliveries'),
      relayerRecords: worker.through(auditor.watching(this.relayerRecords, 'sender'), 'the relayer’s record'),
      intents: this.intents,
      chains: perChain((id) => (id === 8453 ? here : there)) as unknown as Chains,
      provider: following,
      aggregators: [{ ...following, blame: async () => 'REQUEST' } as unknown as Gate],
      blacklist: { isListed: () => false },
      signer: worker.through(this.signer, 'the signer'),
      relayers: chain.relayersOf((act) => worker.note(act)),
      ordersPerTransaction: 1,
      scannedTo: () => worker.ask('the chain', 'scannedTo', null, async () => chain.standing.number),
      now: worker.now,
    }
  }

  private readonly signer: OrderSigner = {
    // every signature is unique, while the route id stays
    sign: async (execution, deadline) => {
      const routeId = execution.facts.routeId!
      const count = (this.signatures[routeId] ?? 0) + 1
      this.signatures = { ...this.signatures, [routeId]: count }
      return signedOrder(execution, deadline, hashOfText(`${routeId} ${count}`))
    },
    draft: async () => ({}) as Order,
  }
}

const toAction = ({ worker, place, fate }: { worker: number; place: number; fate: Fate }): Action => ({
  ...{ kind: 'go', worker, place, fate },
  cost: fate === 'lives' ? 0 : 1,
})
