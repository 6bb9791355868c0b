import { Elysia } from 'elysia'
import type { RequestLog } from '../../ports/limits'
import type { ExchangeState } from './caller'
import { passUnrouted, statusOf } from './response-status'

const timedMax = 20_000

/** Logs the requests of each key, which integrators read to find mistakes. No request waits for the log. */
export function requestNotes(log: RequestLog, now: () => number) {
  const startedAts = new WeakMap<Request, number>()
  let open = 0
  return (
    new Elysia({ name: 'request notes' })
      .onRequest(({ request }) => {
        if (open < timedMax) startedAts.set(request, performance.now())
        open += 1
      })
      // Elysia prepares everything, cookies included, for a hook that takes the whole context, so this hook names its
      // parts.
      .mapResponse({ as: 'global' }, ({ request, route, path, set, responseValue }) => {
        open = Math.max(open - 1, 0)
        const { keyId } = set as ExchangeState
        const startedAt = startedAts.get(request)
        if (startedAt === undefined || keyId === undefined) return passUnrouted(route, responseValue)
        log.note(keyId, {
          at: now(),
          requestId: String(set.headers['x-request-id'] ?? ''),
          method: request.method,
          path: route || path,
          status: statusOf(set, responseValue),
          errorCode: set.headers['x-error-code'] === undefined ? null : String(set.headers['x-error-code']),
          durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
        })
        return passUnrouted(route, responseValue)
      })
  )
}
