import { Elysia } from 'elysia'
import type { Carrier } from '../../ports/observing'
import type { OnAnswered } from '../metrics/metrics'

/** The span of a request under way. All work of the request runs within it. */
type RequestSpan = {
  within<Answer>(call: () => Answer): Answer
  end(method: string, route: string, status: number): void
}
export type RequestSpans = { request(carrier: Carrier): RequestSpan }

type Serve = (...args: unknown[]) => unknown

/** Paths without traces, because monitors request them every few seconds. */
const probes = ['/metrics', '/ready', '/api/health']

/** Traces every request as a span that is linked to its caller's `traceparent`. Without spans it does nothing. */
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
