import { Elysia } from 'elysia'
import { hidden } from './operation'

/** What the service cannot work without, by name; each throws when it is away. */
export type ReadinessChecks = Record<string, () => Promise<unknown>>
export type Readiness = { checks: ReadinessChecks; isDraining: () => boolean }

const patienceMs = 2_000

/** For load balancers: 200 only when everything that is needed is there and nobody asked us to stop. */
export const ready = ({ checks, isDraining }: Readiness) =>
  new Elysia().get(
    '/ready',
    async ({ set }) => {
      const names = Object.keys(checks)
      const found = await Promise.all(names.map((name) => isUp(checks[name]!)))
      const isReady = found.every(Boolean) && !isDraining()
      set.status = isReady ? 200 : 503
      set.headers['cache-control'] = 'no-store'
      const states = Object.fromEntries(names.map((name, n) => [name, found[n] ? 'ok' : 'down']))
      return { status: isReady ? 'ready' : isDraining() ? 'draining' : 'unavailable', checks: states }
    },
    hidden,
  )

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
