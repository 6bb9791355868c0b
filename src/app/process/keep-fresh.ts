import { providerProbe } from '../../adapters/aggregators/provider-probe'
import type { RetentionDays } from '../../domain/retention'
import type { Adapters } from './adapters'
import type { Base } from './base'

const refreshMs = 500
const clockMs = 60_000
const retentionMs = 60_000

type Keeping = {
  /** Whether this process asks providers for routes, so that it wants to know when one is well again. */
  asksProviders: boolean
  quoteTimeoutMs: number
  retentionDays: RetentionDays
}

/**
 * Keeps fresh what is held in memory: the blacklist, the pauses, the providers' state and the clock.
 *
 * @returns what ends it.
 */
export function keepFresh(
  { connected, store, now, keepTime, fault }: Base,
  { providers, blacklist, pauses }: Adapters,
  { asksProviders, quoteTimeoutMs, retentionDays }: Keeping,
): () => void {
  const probed = asksProviders ? providers : []
  const probeProviders = providerProbe({ providers: probed, tokens: connected.tokens, quoteTimeoutMs, now })
  const refresh = () => Promise.all([blacklist.refresh(), pauses.refresh(), probeProviders()])
  const refreshTimer = setInterval(() => void refresh().catch((error) => fault('refreshing', error)), refreshMs)
  const clockTimer = setInterval(() => void keepTime().catch((error) => fault('clock', error)), clockMs)
  let isForgetting = false
  async function forget(): Promise<void> {
    if (isForgetting) return // the last time took longer than a minute
    isForgetting = true
    const all = [store.retention.sweep(retentionDays), store.erasures.finish(now() - retentionMs)]
    for (const ended of await Promise.allSettled(all))
      if (ended.status === 'rejected') fault('deleting what is kept no longer', ended.reason)
    isForgetting = false
  }
  const retentionTimer = setInterval(() => void forget(), retentionMs)
  return () => {
    clearInterval(retentionTimer)
    clearInterval(refreshTimer)
    clearInterval(clockTimer)
  }
}
