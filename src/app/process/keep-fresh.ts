import { repeat, together } from '../../domain/repeat'
import type { RetentionDays } from '../../domain/retention'
import type { Adapters } from './adapters'
import type { Base } from './base'
import { forgetting } from './forgetting'

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
  const kept = forgetting({
    books: store.semaphoreRecords,
    name,
    sweep: () => store.retention.sweep(retentionDays, fault),
    rest: (ms) => Bun.sleep(ms),
    now,
  })
  async function forget(): Promise<void> {
    const all = [kept.run(), store.erasures.finish(now() - retentionMs)]
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
    // The sweep can take long, so it is told to stop before its round is awaited.
    await kept.stop().catch(onTrouble('deleting expired records'))
    await Promise.all([retention.stop(), fresh.stop()])
  }
}
