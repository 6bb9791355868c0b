import type { CardData } from './contract.js'

/** Why the newest state cannot be read. */
export type Problem = 'OFFLINE' | 'SIGNED_OUT' | 'UNAVAILABLE'
export type DepositView = {
  /** The last state that was read; null before the first. */
  data: CardData | null
  /** When it was read, in milliseconds since 1970. */
  readAt: number | null
  /** The problem of the last reading; null if it succeeded. */
  problem: Problem | null
}

const pollMs = 60_000
/** The server sends `beat` every 15 seconds, so longer silence means a dead connection. */
const silentMsMax = 45_000
const readMsMax = 20_000
/** Many pages read after one change, so they are spread over this time. */
const spreadMs = 1_000
const retryMs = { first: 1_000, most: 30_000 }
const retryAfterMs = (failures: number): number =>
  Math.min(retryMs.most, retryMs.first * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2)

type Timer = 'poll' | 'silence' | 'reconnect' | 'spread'

/**
 * Keeps the state of one user's deposits up to date while it has subscribers. It reads at the start, after each change,
 * after each break of the stream of changes, and every minute. It never gives up.
 */
export class DepositFeed {
  readonly #server: string
  readonly #query: string
  readonly #listeners = new Set<() => void>()
  readonly #timers: Partial<Record<Timer, ReturnType<typeof setTimeout>>> = {}
  #view: DepositView = { data: null, readAt: null, problem: null }
  #running: AbortController | null = null
  #source: EventSource | null = null
  #isReading = false
  #isOutdated = false
  #failures = 0
  #breaks = 0

  readonly #onIdle: () => void

  /**
   * @param server The path of `depositRoutes` on your server, without a final slash.
   * @param onIdle Called after the last subscriber left.
   */
  constructor(server: string, userId: string, onIdle: () => void) {
    this.#server = server
    this.#onIdle = onIdle
    this.#query = `?userId=${encodeURIComponent(userId)}`
  }

  readonly snapshot = (): DepositView => this.#view

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.#start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  #set(change: Partial<DepositView>): void {
    this.#view = { ...this.#view, ...change }
    for (const listener of this.#listeners) listener()
  }

  #after(name: Timer, ms: number, run: () => void): void {
    clearTimeout(this.#timers[name])
    this.#timers[name] = setTimeout(run, ms)
  }

  #start(): void {
    this.#running = new AbortController()
    const { signal } = this.#running
    addEventListener('online', this.#wake, { signal })
    addEventListener('offline', () => this.#set({ problem: 'OFFLINE' }), { signal })
    document.addEventListener('visibilitychange', this.#wake, { signal })
    this.#connect()
    void this.#read()
  }

  #stop(): void {
    this.#running?.abort()
    this.#running = null
    this.#source?.close()
    for (const timer of Object.values(this.#timers)) clearTimeout(timer)
    this.#onIdle()
  }

  readonly #wake = (): void => {
    if (document.visibilityState === 'hidden') return
    if (this.#source?.readyState === EventSource.CLOSED) this.#connect()
    void this.#read()
  }

  async #readOnce(running: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([running, AbortSignal.timeout(readMsMax)])
    const response = await fetch(`${this.#server}/deposit${this.#query}`, { cache: 'no-store', signal })
    if (response.status === 401 || response.status === 403) return this.#set({ problem: 'SIGNED_OUT' })
    if (!response.ok) throw new Error(`The answer was ${response.status}`)
    const data = (await response.json()) as CardData
    if (!running.aborted) this.#set({ data, readAt: Date.now(), problem: null })
  }

  /** Runs one reading at a time. A change during a reading causes a further reading. */
  async #read(): Promise<void> {
    this.#isOutdated = true
    clearTimeout(this.#timers.spread)
    if (this.#isReading) return
    this.#isReading = true
    let waitMs = pollMs
    while (this.#isOutdated && this.#running) {
      this.#isOutdated = false
      const { signal } = this.#running
      try {
        await this.#readOnce(signal)
        this.#failures = 0
        waitMs = pollMs
      } catch {
        if (signal.aborted) continue
        waitMs = retryAfterMs(this.#failures++)
        this.#set({ problem: navigator.onLine ? 'UNAVAILABLE' : 'OFFLINE' })
      }
    }
    this.#isReading = false
    if (this.#running) this.#after('poll', waitMs, () => void this.#read())
  }

  /** Reconnects after an error response or a dead connection, which a browser's EventSource does not. */
  #connect(): void {
    clearTimeout(this.#timers.reconnect)
    this.#source?.close()
    const own = new EventSource(`${this.#server}/changes${this.#query}`)
    this.#source = own
    const broken = () => {
      own.close()
      clearTimeout(this.#timers.silence)
      this.#after('reconnect', retryAfterMs(this.#breaks++), () => this.#connect())
      void this.#read()
    }
    const heard = () => this.#after('silence', silentMsMax, broken)
    heard()
    own.addEventListener('error', broken)
    own.addEventListener('beat', heard)
    own.addEventListener('open', () => {
      this.#breaks = 0
      heard()
      // A lost connection may have missed changes.
      void this.#read()
    })
    own.addEventListener('message', () => {
      heard()
      if (!this.#isOutdated) this.#after('spread', Math.random() * spreadMs, () => void this.#read())
      this.#isOutdated = true
    })
  }
}
