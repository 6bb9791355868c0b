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

/** Simulated time. One event happens at a time, in an order that only the seed determines. */
export class Loop {
  time = 0
  private readonly pending: { at: number; run: () => void }[] = []

  after(delayMs: number, run: () => void): void {
    const at = this.time + delayMs
    let low = 0
    for (let high = this.pending.length; low < high; ) {
      const middle = (low + high) >> 1
      if (this.pending[middle]!.at <= at) low = middle + 1
      else high = middle
    }
    this.pending.splice(low, 0, { at, run })
  }

  async runUntil(isOver: () => boolean, latest: number): Promise<void> {
    while (this.time < latest && !isOver()) {
      const { at, run } = this.pending.shift()!
      this.time = at
      run()
      drainMicrotasks() // code that got its response runs until its next request
    }
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

/** A process. When it dies, no response reaches it. When it freezes, it reads its responses on waking. */
export class Process {
  private life = 0
  private frozenUntil = 0
  private readonly skewMs: number

  constructor(
    private readonly loop: Loop,
    private readonly dice: Dice,
    readonly faults: Faults,
  ) {
    this.skewMs = dice.between(-faults.skewMs, faults.skewMs)
  }

  now = (): number => Math.round(this.loop.time + this.skewMs)
  die(): void {
    this.life += 1
  }
  freeze(ms: number): void {
    this.frozenUntil = this.loop.time + ms
  }
  get isFrozen(): boolean {
    return this.loop.time < this.frozenUntil
  }

  /** Sends a request. The request or the response can be lost, and each takes time. */
  ask<Answer>(act: () => Promise<Answer>, failure = () => new Error('connection lost')): Promise<Answer> {
    const { life } = this
    return new Promise((resolve, reject) => {
      const deliver = (answer: () => void): void => {
        if (life !== this.life) return
        if (this.isFrozen) this.loop.after(this.frozenUntil - this.loop.time, () => deliver(answer))
        else answer()
      }
      const lost = () => reject(failure())
      this.loop.after(this.delay(), () => {
        const fate = this.dice.roll()
        if (fate < this.faults.lostQuestion) return this.loop.after(this.delay(), () => deliver(lost))
        const isLost = fate < this.faults.lostQuestion + this.faults.lostAnswer
        act().then(
          (answer) => this.loop.after(this.delay(), () => deliver(isLost ? lost : () => resolve(answer))),
          (error) => this.loop.after(this.delay(), () => deliver(() => reject(error))),
        )
      })
    })
  }

  /** Wraps a port for this process. Values that are not functions need no request. */
  through<Port extends object>(port: Port, failure?: () => Error): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const member = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...parameters: unknown[]) => this.ask(() => member.apply(target, parameters), failure)
      },
    })
  }

  private delay = () =>
    this.dice.chance(this.faults.slow) ? this.dice.between(1_000, 40_000) : this.dice.between(1, 60)
}
