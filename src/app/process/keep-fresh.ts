import type { Semaphore } from '../../domain/limits/semaphore'
import { repeat, together } from '../../domain/repeat'
import type { RetentionDays } from '../../domain/retention'
import { storedLease } from '../../limits/stored-semaphores'
import type { Records } from '../../ports/records'
import type { Adapters } from './adapters'
import type { Base } from './base'

const refreshMs = 500
const clockMs = 60_000
const retentionMs = 60_000

type Keeping = {
  /** Whether this process requests routes, and therefore tracks the state of the providers. */
  asksProviders: boolean
  retentionDays: RetentionDays
}

/**
 * Refreshes what is cached in memory: the blocklist, the pauses, the providers' state and the clock.
 *
 * @returns a function that stops it.
 */
export function keepFresh(
  { name, store, now, keepTime, fault }: Base,
  { providers, blacklist, pauses }: Adapters,
  { asksProviders, retentionDays }: Keeping,
): () => Promise<void> {
  const probed = asksProviders ? providers : []
  const probeProviders = () => Promise.all(probed.map((provider) => provider.probe()))
  const refresh = () => Promise.all([blacklist.refresh(), pauses.refresh(), probeProviders()])
  const expiry = expiryTask({
    books: store.semaphoreRecords,
    name,
    sweep: () => store.retention.sweep(retentionDays, fault),
    rest: (ms) => Bun.sleep(ms),
    now,
  })
  async function forget(): Promise<void> {
    const all = [expiry.run(), store.erasures.finish(now() - retentionMs)]
    for (const ended of await Promise.allSettled(all))
      if (ended.status === 'rejected') fault('deleting expired records', ended.reason)
  }
  const onTrouble = (what: string) => (error: unknown) => fault(what, error)
  const fresh = together(
    repeat({ everyMs: refreshMs, first: 'LATER', work: refresh, onTrouble: onTrouble('refreshing') }),
    repeat({ everyMs: clockMs, first: 'LATER', work: keepTime, onTrouble: onTrouble('clock') }),
  )
  const retention = repeat({
    everyMs: retentionMs,
    first: 'LATER',
    work: forget,
    onTrouble: onTrouble('deleting expired records'),
  })
  together(fresh, retention).start()
  return async () => {
    // The sweep can take long, so it receives its stop before the round is awaited.
    await expiry.stop().catch(onTrouble('deleting expired records'))
    await Promise.all([retention.stop(), fresh.stop()])
  }
}

type Ports = {
  books: Records<Semaphore>
  /** Unique to this process. */
  name: string
  /** Deletes or archives a batch of expired records. @returns the number of records; 0 if none is left. */
  sweep: () => Promise<number>
  rest: (ms: number) => Promise<void>
  now: () => number
}

/** How long other processes wait before they replace one that died. */
const leaseMs = 5 * 60_000
const renewMs = 60_000
const restMsMax = 10_000

/**
 * Deletes and archives expired records until none is left. One process at a time does this. There is no fixed rate,
 * because a busy organization could outrun it. The work is not urgent, so it pauses after each batch for as long as the
 * batch took.
 */
export function expiryTask({ books, name, sweep, rest, now }: Ports) {
  const turn = storedLease(books, 'forgetting', { holder: name, forMs: leaseMs, renewMs, askMs: 0, now })
  let isRunning = false

  return {
    /** Returns immediately while another process or an earlier call is running. */
    async run(): Promise<void> {
      if (isRunning) return
      isRunning = true
      try {
        while (await turn.hold()) {
          const from = now()
          if ((await sweep()) === 0) return
          await rest(Math.min(now() - from, restMsMax))
        }
      } finally {
        isRunning = false
      }
    },
    /** Releases the lease, so another process can continue immediately. */
    stop: (): Promise<void> => turn.release(),
  }
}
