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
  settle: (outcome: Outcome) => void
}
/** What decides a worker's next operations: its task and all responses so far. */
export type WorkerState = { task: Task | null; log: readonly Answered[]; digest: string; isAsleep: boolean }

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

/**
 * A worker whose requests take effect one at a time, when its owner decides. It can return to an earlier moment: it
 * takes its task again and gets the same responses.
 */
export class SteppedWorker {
  task: Task | null = null
  isAsleep = false
  digest = ''
  private requests: Op[] = []
  /** Whether its task has to be taken again, with the responses of `log`, before it has its requests. */
  private isToRepeat = false
  private clock = 0
  private log: readonly Answered[] = []
  private life = 0

  /** @param run Runs a task to its end. */
  constructor(private readonly run: (task: Task, worker: SteppedWorker) => Promise<unknown>) {}

  now = (): number => this.clock

  get known(): WorkerState {
    const { task, log, digest, isAsleep } = this
    return { task, log, digest, isAsleep }
  }

  /** Returns to an earlier moment. What it has done since is repeated only if its requests are needed. */
  resume(known: WorkerState): void {
    const isThere = this.task === known.task && this.log === known.log
    if (!isThere) {
      this.forget()
      this.isToRepeat = known.task !== null
    }
    Object.assign(this, known)
  }

  /** The requests that have not taken effect yet. */
  get pending(): Op[] {
    if (this.isToRepeat) this.repeat()
    return this.requests
  }

  private repeat(): void {
    const { known } = this
    this.isToRepeat = false
    this.take(known.task!)
    for (const answered of known.log) this.settle(answered)
    Object.assign(this, known)
  }

  /** Begins a task, up to its first requests. */
  take(task: Task): void {
    Object.assign(this, { task, clock: task.at, digest: hashed(JSON.stringify(task)) })
    const { life } = this
    const end = () => {
      if (this.life === life) this.forget()
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
    this.isAsleep = false
    this.log = [...this.log, answered]
    this.digest = hashed(`${this.digest} ${at} ${place} ${digestOf(Object.values(outcome)[0])}`)
    this.settle(answered)
  }

  /** A request of this worker, which waits in `pending`. */
  ask(port: string, method: string, subject: unknown, act: () => unknown): Promise<never> {
    const { life } = this
    return new Promise((resolve, reject) => {
      if (this.life !== life) return
      const settle = (outcome: Outcome) =>
        'error' in outcome ? reject(outcome.error) : resolve(outcome.value as never)
      this.requests.push({ port, method, subject, act, settle })
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

  private settle({ place, outcome, at }: Answered): void {
    this.clock = at
    const [op] = this.requests.splice(place, 1)
    op!.settle(outcome)
    drainMicrotasks()
  }

  /** It has no task, no memory, and hears no response to an earlier request. */
  private forget(): void {
    this.life += 1
    Object.assign(this, { task: null, log: [], digest: '', isAsleep: false, requests: [], isToRepeat: false })
  }
}
