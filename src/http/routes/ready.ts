import { Elysia } from 'elysia'
import { hidden } from '../openapi/operation-docs'
import { cachedRead } from '../request/cached-read'

/** By name; each throws when what it is about is away. */
type ReadinessChecks = Record<string, () => Promise<unknown>>
export type Readiness = {
  /** What nothing can be answered without. */
  checks: ReadinessChecks
  /** What is worked around while it is away: another process would find it away as well (decision 46). */
  degrading?: ReadinessChecks
  isDraining: () => boolean
}

const patienceMs = 2_000
/** One check writes to the store: however many ask, it does so once in a second. */
const keepMs = 1_000

/** For load balancers: 200 when what is needed is there and nobody asked us to stop; the rest is told beside it. */
export function ready({ checks, degrading = {}, isDraining }: Readiness, now: () => number) {
  const all = { ...checks, ...degrading }
  const names = Object.keys(all)
  const look = cachedRead(() => Promise.all(names.map((name) => isUp(all[name]!))), keepMs, now)
  return new Elysia().get(
    '/ready',
    async ({ set }) => {
      const found = await look()
      const isReady = names.every((name, n) => found[n] || !(name in checks)) && !isDraining()
      set.status = isReady ? 200 : 503
      set.headers['cache-control'] = 'no-store'
      const states = Object.fromEntries(names.map((name, n) => [name, found[n] ? 'ok' : 'down']))
      const well = found.every(Boolean) ? 'ready' : 'degraded'
      return { status: isReady ? well : isDraining() ? 'draining' : 'unavailable', checks: states }
    },
    hidden,
  )
}

const isUp = async (check: () => Promise<unknown>): Promise<boolean> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), patienceMs)
  })
  const answered = check().then(
    () => true,
    () => false,
  )
  return Promise.race([answered, late]).finally(() => clearTimeout(timer))
}
