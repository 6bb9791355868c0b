import { Elysia } from 'elysia'
import { aged } from '../../domain/aged'
import { hidden } from '../openapi/operation-docs'

/** Checks by name. Each throws if its dependency is unavailable. */
type ReadinessChecks = Record<string, () => Promise<unknown>>
export type Readiness = {
  /** Dependencies that every request needs. */
  checks: ReadinessChecks
  /** Dependencies that the process works around, because every other process would lack them too (decision 46). */
  degrading?: ReadinessChecks
  isDraining: () => boolean
}

const patienceMs = 2_000
/** A result is reused for a second, because one check writes to the store. */
const keepMs = 1_000

/**
 * For load balancers: 200 if every required check passes and the process is not about to stop. It lists every check.
 */
export function ready({ checks, degrading = {}, isDraining }: Readiness, now: () => number) {
  const all = { ...checks, ...degrading }
  const names = Object.keys(all)
  const readUp = () => Promise.all(names.map((name) => isUp(all[name]!)))
  const look = aged(readUp, { now, forMs: keepMs, from: 'START' })
  return new Elysia().get(
    '/ready',
    async ({ set }) => {
      const results = await look.get()
      const isReady = names.every((name, n) => results[n] || !(name in checks)) && !isDraining()
      set.status = isReady ? 200 : 503
      set.headers['cache-control'] = 'no-store'
      const states = Object.fromEntries(names.map((name, n) => [name, results[n] ? 'ok' : 'down']))
      const well = results.every(Boolean) ? 'ready' : 'degraded'
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
