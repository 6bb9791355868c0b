import { drainMicrotasks } from 'bun:jsc'

/** A seeded generator of sufficient quality: mulberry32. */
export function dice(seed: number) {
  let state = seed
  const roll = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + roll() * (high - low)
  return {
    roll,
    between,
    below: (count: number) => Math.floor(roll() * count),
    chance: (share: number) => roll() < share,
  }
}
export type Dice = ReturnType<typeof dice>

const clockOf = (ms: number): string => {
  const minutes = Math.floor(ms / 60_000)
  return `${minutes}:${((ms - minutes * 60_000) / 1_000).toFixed(3).padStart(6, '0')}`
}

type Pending = { at: number; run: () => void; life: Life | null }

/**
 * Simulated time. One event happens at a time, in an order that only the seed determines. A hash of all
 * events compares two runs. The story has a sentence for each important event.
 */
export class Loop {
  time = 0
  /** The process whose code runs in this event. */
  life: Life | null = null
  digest = 0n
  /** The longest time for which a process was frozen without a break. */
  longestFreezeMs = 0
  /** The events to come, the next one last: taking it and adding a near one move the fewest. */
  private readonly pending: Pending[] = []

  /** @param report Gets each line of the story. */
  constructor(private readonly report: ((line: string) => void) | null = null) {}

  /** @returns An action that takes the event back. */
  after(delayMs: number, run: () => void, life = this.life): () => void {
    const at = this.time + delayMs
    const { pending } = this
    const event = { at, run, life }
    let place = pending.push(event) - 1
    for (; place > 0 && pending[place - 1]!.at <= at; place--) pending[place] = pending[place - 1]!
    pending[place] = event
    return () => {
      const place = pending.indexOf(event)
      if (place >= 0) pending.splice(place, 1)
    }
  }

  /** Adds to the hash of all events. */
  note(event: string): void {
    this.digest = Bun.hash(`${this.time} ${event}`, this.digest) as bigint
  }

  /** Adds a sentence to the story. */
  narrate(sentence: string): void {
    this.note(sentence)
    this.report?.(`${clockOf(this.time).padStart(10)}  ${sentence}`)
  }

  runUntil(isOver: () => boolean, latest: number): void {
    while (this.time < latest && !isOver()) {
      const { at, run, life } = this.pending.pop()!
      this.time = at
      this.life = life
      run()
      drainMicrotasks() // code that got its response runs until its next request
      this.life?.assureWaiting()
    }
    this.life = null
  }
}

export type Faults = {
  lostQuestion: number
  lostAnswer: number
  slow: number
  crash: number
  freeze: number
  skewMs: number
}

export const noFaults: Faults = { lostQuestion: 0, lostAnswer: 0, slow: 0, crash: 0, freeze: 0, skewMs: 0 }

/** The time from one start of a process to its death. */
class Life {
  isOver = false
  /** Requests without a response, and timers. */
  waiting = 0
  readonly tasks = new Map<object, string>()
  /** What the process last requested, which is where a task that never ends has stopped. */
  lastRequest = 'none'

  constructor(readonly process: Process) {}

  /** @throws If a task goes on, but waits for no simulated request and no timer. */
  assureWaiting(): void {
    if (this.isOver || this.waiting > 0 || this.tasks.size === 0) return
    const [task] = this.tasks.values()
    throw new Error(
      `${this.process.name} ${task}, and waits for something that is not simulated. Its last request: ${this.lastRequest}`,
    )
  }
}

/** A process. When it dies, no response reaches it. When it freezes, it reads its responses on waking. */
export class Process {
  private life = new Life(this)
  private frozenFrom = 0
  private frozenUntil = 0
  private readonly skewMs: number

  constructor(
    private readonly loop: Loop,
    private readonly dice: Dice,
    readonly faults: Faults,
    readonly name = 'a process',
  ) {
    this.skewMs = dice.between(-faults.skewMs, faults.skewMs)
  }

  /** The world begins at time 0, and no record has a time before it. */
  now = (): number => Math.max(0, Math.round(this.loop.time + this.skewMs))
  die(): void {
    this.loop.narrate(`${this.name} dies, and starts again`)
    this.life.isOver = true
    this.life = new Life(this)
  }
  freeze(ms: number): void {
    this.loop.narrate(`${this.name} freezes for ${Math.round(ms / 1_000)} s`)
    if (!this.isFrozen) this.frozenFrom = this.loop.time
    this.frozenUntil = this.loop.time + ms
    this.loop.longestFreezeMs = Math.max(this.loop.longestFreezeMs, this.frozenUntil - this.frozenFrom)
  }
  get isFrozen(): boolean {
    return this.loop.time < this.frozenUntil
  }

  /** Does some work of this process. It must end by requests and timers alone. */
  async work(task: string, act: () => Promise<unknown>): Promise<void> {
    const { life } = this
    this.loop.life = life
    const key = {}
    life.tasks.set(key, task)
    await act().finally(() => life.tasks.delete(key))
  }

  /** Lets something reach the life that waited for it, once it is not frozen. */
  private reach(life: Life, act: () => void): void {
    if (life.isOver) return
    if (this.isFrozen) this.loop.after(this.frozenUntil - this.loop.time, () => this.reach(life, act), life)
    else {
      life.waiting -= 1
      act()
    }
  }

  /** A timer of this process. @returns An action that clears it. */
  timer(delayMs: number, act: () => void): () => void {
    const { life } = this
    life.waiting += 1
    let isDone = false
    let cancel = () => {}
    const end = () => {
      isDone = true
      life.waiting -= 1
      cancel()
    }
    const fireAfter = (ms: number): void => {
      cancel = this.loop.after(
        ms,
        () => {
          if (isDone || life.isOver) return
          if (this.isFrozen) return fireAfter(this.frozenUntil - this.loop.time)
          end()
          act()
        },
        life,
      )
    }
    fireAfter(delayMs)
    return () => {
      if (!isDone) end()
    }
  }

  /** Sends a request. The request or the response can be lost, and each takes time. */
  ask<Answer>(
    act: () => Promise<Answer>,
    failure = () => new Error('connection lost'),
    what = 'a message',
  ): Promise<Answer> {
    const { life } = this
    life.waiting += 1
    life.lastRequest = what
    return new Promise((resolve, reject) => {
      const deliver = (answer: () => void): void => this.reach(life, answer)
      const lost = () => reject(failure())
      this.loop.after(this.delay(), () => {
        const fate = this.dice.roll()
        this.loop.note(`${this.name} ${what} ${fate}`)
        if (fate < this.faults.lostQuestion) {
          this.loop.narrate(`${this.name}’s request ${what} is lost`)
          return this.loop.after(this.delay(), () => deliver(lost))
        }
        const isLost = fate < this.faults.lostQuestion + this.faults.lostAnswer
        if (isLost) this.loop.narrate(`The response to ${this.name}’s request ${what} is lost`)
        act().then(
          (answer) => this.loop.after(this.delay(), () => deliver(isLost ? lost : () => resolve(answer))),
          (error) => this.loop.after(this.delay(), () => deliver(() => reject(error))),
        )
      })
    })
  }

  /** Wraps a port for this process. Values that are not functions need no request. */
  through<Port extends object>(port: Port, called: string, failure?: () => Error): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const member = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...parameters: unknown[]) =>
          this.ask(() => member.apply(target, parameters), failure, `${called}.${String(name)}`)
      },
    })
  }

  private delay = () =>
    this.dice.chance(this.faults.slow) ? this.dice.between(1_000, 40_000) : this.dice.between(1, 60)
}
