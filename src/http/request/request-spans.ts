import { Elysia } from 'elysia'
import type { Carrier } from '../../ports/telemetry'
import type { OnAnswered } from '../metrics/metrics'

/** A request that is under way: what it sets off is called within it. */
type RequestSpan = {
  within<Answer>(call: () => Answer): Answer
  end(method: string, route: string, status: number): void
}
export type RequestSpans = { request(carrier: Carrier): RequestSpan }

type Serve = (...asked: unknown[]) => unknown

/** Asked every few seconds by machines: nobody looks for a trace of that. */
const probes = ['/metrics', '/ready', '/api/health']

/** Every request as a span that links its caller's, where spans are made. Nothing else is read of it. */
export function traced(spans: RequestSpans | null) {
  const open = new WeakMap<Request, RequestSpan>()
  const onAnswered: OnAnswered = (request, route, status) => {
    if (!probes.includes(route)) open.get(request)?.end(request.method, route, status)
  }
  const plugin = new Elysia({ name: 'traced requests' })
  if (!spans) return { plugin, onAnswered: undefined }
  const around =
    (serve: Serve) =>
    (first: unknown, ...rest: unknown[]) => {
      if (!(first instanceof Request)) return serve(first, ...rest)
      const traceparent = first.headers.get('traceparent')
      const span = spans.request(traceparent ? { traceparent } : {})
      open.set(first, span)
      return span.within(() => serve(first, ...rest))
    }
  return { plugin: plugin.wrap(around as never), onAnswered }
}
