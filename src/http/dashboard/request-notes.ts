import { Elysia } from 'elysia'
import type { RequestLog } from '../../ports/request-log'
import type { Caller } from '../caller'

type Seen = {
  request: Request
  route?: string
  path: string
  caller?: Caller
  set: { status?: number | string; headers: Record<string, string | number | undefined> }
}

const slowMax = 20_000

/** Notes the requests of a key for those who look for their mistakes. A request never waits for it. */
export function requestNotes(log: RequestLog, now: () => number) {
  const begun = new WeakMap<Request, number>()
  let open = 0
  return new Elysia({ name: 'request notes' })
    .onRequest(({ request }) => {
      if (open < slowMax) begun.set(request, performance.now())
      open += 1
    })
    .onAfterResponse({ as: 'global' }, (context) => {
      open = Math.max(open - 1, 0)
      const { request, route, path, caller, set } = context as unknown as Seen
      const startedAt = begun.get(request)
      if (startedAt === undefined || caller?.actor.kind !== 'API_KEY' || path.startsWith('/app/')) return
      log.note(caller.actor.id, {
        at: now(),
        requestId: String(set.headers['x-request-id'] ?? ''),
        method: request.method,
        path: route || path,
        status: Number(set.status ?? 200) || 200,
        errorCode: set.headers['x-error-code'] === undefined ? null : String(set.headers['x-error-code']),
        durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      })
    })
}
