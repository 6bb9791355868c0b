import { drainMicrotasks } from 'bun:jsc'
import { RoutingError } from '../../../src/domain/error'

/** Work of a worker: an execution, or the relayer's transactions if `id` is null. `at` is when it was taken. */
export type Task = { id: string | null; isImmediate: boolean; isStale: boolean; at: number }
type Outcome = { value: unknown } | { error: unknown }
type Answered = { place: number; outcome: Outcome; at: number }
/** A request to a port that has not taken effect yet. */
export type Op = {
  port: string
  method: string
  subject: unknown
  act: () => unknown
}
type Asked = { op: Op; settle: (outcome: Outcome) => void }
/** What a worker does after a response: what it notes elsewhere, then its requests; null once its task ends. */
type Stretch = { notes: readonly (() => unknown)[]; pending: readonly Op[] | null }
/** What workers with the same code do, by the digest of their task and all responses. */
export type Stretches = Map<string, Stretch>
/** What decides a worker's next operations: its task and all responses so far. */
export type WorkerState = {
  task: Task | null
  log: readonly Answered[]
  digest: string
  isAsleep: boolean
  pending: readonly Op[]
}

/** What follows for a worker: it gets the response, it gets an error although the request took effect, or it dies. */
export type Fate = 'lives' | 'loses' | 'dies'

const writes: readonly string[] = ['save', 'send']
export const isWrite = ({ method }: Op): boolean => writes.includes(method)

const digests = new WeakMap<object, string>()
const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
const hashed = (text: string): string => Bun.hash(text).toString(36)

const lostOf = (port: string): Error =>
  port === 'the chain' ? new RoutingError('RPC_TIMEOUT') : new Error('connection lost')

/** A digest of a value. Stored records are frozen, so theirs is computed once. */
export function digestOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(digestOf).join()
  if (typeof value !== 'object' || value === null || value instanceof Error) return String(value)
  // The engine reads number and time of a block, and its number decides its time.
  if ('transactions' in value && 'number' in value) return `block ${value.number}`
  if (!Object.isFrozen(value)) return JSON.stringify(value, asText)
  const found = digests.get(value) ?? hashed(JSON.stringify(value, asText))
  digests.set(value, found)
  return found
}

const none: readonly Op[] = []

/**
 * A worker whose requests take effect one at a time, when its owner decides. It can return to an earlier moment. Its
 * task and the responses decide what it does, so its code runs only if no worker has been there before: then it takes
 * its task again and gets the same responses.
 */
export class SteppedWorker {
  task: Task | null = null
  isAsleep = false
  digest = ''
  /** The requests that have not taken effect yet. */
  pending: readonly Op[] = none
  private log: readonly Answered[] = []
  /** The run of its code: where it is, and what it waits for there. */
  private reached = ''
  private asked: Asked[] = []
  private notes: (() => unknown)[] = []
  private hasEnded = false
  private clock = 0
  private life = 0

  /** @param run Runs a task to its end. */
  constructor(
    private readonly run: (task: Task, worker: SteppedWorker) => Promise<unknown>,
    private readonly stretches: Stretches,
  ) {}

  now = (): number => this.clock

  get known(): WorkerState {
    const { task, log, digest, isAsleep, pending } = this
    return { task, log, digest, isAsleep, pending }
  }

  /** Returns to an earlier moment. */
  resume(known: WorkerState): void {
    Object.assign(this, known)
  }

  /** Begins a task, up to its first requests. */
  take(task: Task): void {
    const digest = hashed(JSON.stringify(task))
    Object.assign(this, { task, digest, log: [], isAsleep: false })
    this.follow(digest, () => this.begin(task, digest))
  }

  /** Goes on to the next requests. `run` lets its code run up to them. */
  private follow(digest: string, run: () => void): void {
    let stretch = this.stretches.get(digest)
    if (stretch) for (const note of stretch.notes) note()
    else {
      run()
      stretch = { notes: this.notes, pending: this.hasEnded ? null : this.asked.map(({ op }) => op) }
      this.stretches.set(digest, stretch)
    }
    if (stretch.pending) this.pending = stretch.pending
    else this.forget()
  }

  /** Runs its code from the start of its task. */
  private begin(task: Task, reached: string): void {
    this.life += 1
    Object.assign(this, { reached, asked: [], notes: [], hasEnded: false, clock: task.at })
    const { life } = this
    const end = () => {
      if (this.life === life) this.hasEnded = true
    }
    this.run(task, this).then(end, end)
    drainMicrotasks()
  }

  /** Lets a request take effect. */
  go(place: number, at: number, fate: Fate = 'lives'): Outcome {
    const { port, method, act } = this.pending[place]!
    const responses: Outcome[] = []
    Promise.resolve()
      .then(act)
      .then(
        (value) => responses.push({ value }),
        (error) => responses.push({ error }),
      )
    drainMicrotasks()
    const [outcome] = responses
    if (!outcome) throw new Error(`${port}.${method} waits for something outside this world`)
    if (fate === 'dies') this.forget()
    else this.answer({ place, outcome: fate === 'lives' ? outcome : { error: lostOf(port) }, at })
    return outcome
  }

  private answer(answered: Answered): void {
    const { place, outcome, at } = answered
    const { digest: before, log } = this
    this.isAsleep = false
    this.log = [...log, answered]
    this.digest = hashed(`${before} ${at} ${place} ${digestOf(Object.values(outcome)[0])}`)
    this.follow(this.digest, () => {
      if (this.reached !== before) this.repeat(log)
      this.settle(answered)
      this.reached = this.digest
    })
  }

  private repeat(log: readonly Answered[]): void {
    this.begin(this.task!, '')
    for (const answered of log) this.settle(answered)
  }

  /** A request of this worker, which waits in `pending`. */
  ask(port: string, method: string, subject: unknown, act: () => unknown): Promise<never> {
    const { life } = this
    return new Promise((resolve, reject) => {
      if (this.life !== life) return
      const settle = (outcome: Outcome) =>
        'error' in outcome ? reject(outcome.error) : resolve(outcome.value as never)
      this.asked.push({ op: { port, method, subject, act }, settle })
    })
  }

  /** A port whose functions are requests, except those that `isRequest` rejects. */
  through<Port extends object>(port: Port, name: string, isRequest = (_method: string) => true): Port {
    return new Proxy(port, {
      get: (target, method: string) => {
        const member = Reflect.get(target, method)
        if (typeof member !== 'function' || !isRequest(method)) return member
        return (...asked: unknown[]) => this.ask(name, method, asked[0], () => member.apply(target, asked))
      },
    })
  }

  /** Does something that is no request, and does it again whenever the worker is there again. */
  note<Noted>(act: () => Noted): Noted {
    this.notes.push(act)
    return act()
  }

  private settle({ place, outcome, at }: Answered): void {
    this.clock = at
    this.notes = []
    const [request] = this.asked.splice(place, 1)
    request!.settle(outcome)
    drainMicrotasks()
  }

  /** It has no task, no memory, and hears no response to an earlier request. */
  private forget(): void {
    Object.assign(this, { task: null, log: [], digest: '', isAsleep: false, pending: none })
  }
}
