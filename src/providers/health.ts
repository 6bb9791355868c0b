import type { ProviderHealth } from '../ports/gate'
import { isFor, type ProviderGate, pairOf, scopesOf } from './breaker'

type Call = { at: number; tookMs: number; isFailure: boolean }

const rememberedMs = 10 * 60_000
const callsMax = 2_000
/** Age and number of the newest calls that decide whether an open provider is healthy. */
const [newestMs, newestMax] = [10_000, 50]
const failuresMost = 0.2
/** How long unreadable responses about transactions or prices count after the last one. */
const unreadMs = 3 * 60_000

/** The calls of this process in the last ten minutes. */
export function callLog(now: () => number) {
  let calls: Call[] = []
  return {
    recent: (): Call[] => calls.filter(({ at }) => at > now() - rememberedMs),
    /** Makes a call, and records how long it took and whether it failed. `isFailure` returns null for no request. */
    async noted<Answer>(ask: () => Promise<Answer>, isFailure: (error: unknown) => boolean | null): Promise<Answer> {
      const at = now()
      const note = (failure: boolean): void => {
        calls.push({ at, tookMs: now() - at, isFailure: failure })
        if (calls.length > callsMax) calls = calls.slice(-callsMax / 2)
      }
      try {
        const answer = await ask()
        note(false)
        return answer
      } catch (error) {
        const failure = isFailure(error)
        if (failure !== null) note(failure)
        throw error
      }
    },
  }
}

/** The health of a provider as this process sees it (extensions 9.1). */
export function healthOf(record: ProviderGate, calls: readonly Call[], self: string, now: number): ProviderHealth {
  const took = calls.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)
  const part = (share: number): number | null => took[Math.floor((took.length - 1) * share)] ?? null
  const failures = calls.filter(({ isFailure }) => isFailure).length
  const newest = calls.slice(-newestMax).filter(({ at }) => at > now - newestMs)
  const newestFailures = newest.filter(({ isFailure }) => isFailure)
  const held = scopesOf(record)
    .filter((scope) => isFor(record.shut[scope], self))
    .map((scope) => ({ scope, shut: record.shut[scope]! }))
  const all = held.find(({ scope }) => scope === 'all')?.shut ?? null
  const unread = record.unread && record.unread.at + unreadMs > now ? record.unread : null
  const isWell = newestFailures.length === 0 || newestFailures.length / newest.length < failuresMost
  const healthy = all === null && unread === null && isWell
  const since = [all?.since, unread?.since, newestFailures[0]?.at].filter((at) => at !== undefined)
  return {
    provider: record.id,
    credentialsRefusedAt: all?.reason === 'LOCKED_OUT' ? all.since : null,
    healthy,
    isAway: all !== null,
    failsBetween: held.flatMap(({ scope, shut }) => {
      const pair = pairOf(scope)
      return pair ? [{ ...pair, since: shut.since }] : []
    }),
    failingSince: healthy ? null : Math.min(...since, now),
    errorRate: calls.length === 0 ? 0 : Math.round((failures / calls.length) * 1_000) / 1_000,
    p50Ms: part(0.5),
    p95Ms: part(0.95),
    unreadable: held.find(({ shut }) => shut.why !== null)?.shut.why ?? unread?.what ?? null,
    breaker: all === null ? 'CLOSED' : 'OPEN',
    updatedAt: calls.at(-1)?.at ?? null,
  }
}
