import { Elysia } from 'elysia'
import { hidden } from '../openapi/operation-docs'
import { cachedRead } from '../request/cached-read'

/** Checks by name. Each throws when what it checks is away. */
type ReadinessChecks = Record<string, () => Promise<unknown>>
export type Readiness = {
  /** Whatever no request can be answered without. */
  checks: ReadinessChecks
  /** Whatever is worked around while it is away, since every other process would miss it, too (decision 46). */
  degrading?: ReadinessChecks
  isDraining: () => boolean
}

const patienceMs = 2_000
/** A result is reused for a second however many ask, because one check writes to the store. */
const keepMs = 1_000

/** For load balancers: 200 when every required check passes and nobody has asked us to stop. It lists every check. */
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
