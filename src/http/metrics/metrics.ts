import { type AnyElysia, Elysia } from 'elysia'
import { aged } from '../../domain/aged'
import { hidden } from '../openapi/operation-docs'
import { arrivedAt } from '../request/arrival-time'
import type { ExchangeState, Network } from '../request/caller'
import { isLoopback } from '../request/caller-address'
import { Refusal } from '../request/failure'
import { nameRequest } from '../request/request-id'
import { passUnrouted, statusOf } from '../request/response-status'

/** A gauge, which is read on request. */
export type Reading = { labels: Record<string, string>; value: number }
export type Gauge = {
  name: string
  help: string
  labels: readonly string[]
  read: () => Promise<Reading[]>
}
/** A counter, which only grows. */
export type Counter = { name: string; help: string; labels: readonly string[]; read: () => Reading[] }
/** A histogram of durations. `buckets` are not cumulative. Durations above the last bound are in none of them. */
export type Histogram = {
  name: string
  help: string
  bounds: readonly number[]
  read: () => { labels: Record<string, string>; buckets: ArrayLike<number>; sumSeconds: number; count: number }[]
}
export type MetricsPorts = {
  gauges: readonly Gauge[]
  counters: readonly Counter[]
  histograms?: readonly Histogram[] | undefined
  /** The bearer token that a reader must send. If null, only this machine may read. */
  token: string | null
}

const statusMax = 600
/** Gauges are read from the store and the chains at most this often, regardless of the number of readers. */
const freshMs = 30_000
/** Upper bounds of the buckets, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export type OnAnswered = (request: Request, route: string, status: number) => void
type RouteCounts = { method: string; route: string; statuses: Float64Array; buckets: Float64Array; sumSeconds: number }

/**
 * Measures requests by the pattern of their route, never by their path. Counting is one addition to a plain number. The
 * Prometheus objects are made at each scrape.
 */
export function requestMetrics(onAnswered: OnAnswered = () => {}) {
  const rows: RouteCounts[] = []
  const byRoute = new Map<string, Map<string, RouteCounts>>()

  function rowOf(method: string, route: string): RouteCounts {
    const methods = byRoute.get(route) ?? new Map<string, RouteCounts>()
    const routeCounts = methods.get(method)
    if (routeCounts) return routeCounts
    const row: RouteCounts = {
      method,
      route,
      statuses: new Float64Array(statusMax),
      buckets: new Float64Array(bounds.length),
      sumSeconds: 0,
    }
    rows.push(row)
    byRoute.set(route, methods.set(method, row))
    return row
  }

  function note(method: string, route: string, status: number, seconds: number): void {
    const row = rowOf(method, route)
    row.statuses[status]!++
    row.sumSeconds += seconds
    let place = 0
    while (place < bounds.length && seconds > bounds[place]!) place++
    if (place < bounds.length) row.buckets[place]!++
  }

  const plugin = new Elysia({ name: 'answered requests' }).mapResponse(
    { as: 'global' },
    ({ set, route, request, responseValue }) => {
      nameRequest(request, set as ExchangeState)
      const seconds = (performance.now() - arrivedAt(request)) / 1_000
      const status = statusOf(set, responseValue)
      note(request.method, route ?? 'none', status, seconds)
      onAnswered(request, route ?? 'none', status)
      return passUnrouted(route, responseValue)
    },
  )

  /** Counts a request that was refused before it reached a route. */
  const refused = ({ method }: Request, status: number): void => note(method, 'none', status, 0)

  return { plugin, rows, refused }
}

const prefix = 'switchyard_'
/** Default gauges with the names of counters. Each has a twin by kind, without the ending. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']
/** Bun has one heap space and walks through the whole heap to measure it: each scrape blocked the process for 27 ms. */
const costly = ['total', 'used', 'available'].map((what) => `nodejs_heap_space_size_${what}_bytes`)

/** Makes a Prometheus registry over the plain numbers. */
async function registryOf({ gauges, counters }: MetricsPorts, rows: readonly RouteCounts[], now: () => number) {
  const { Counter, collectDefaultMetrics, Gauge, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of [...misnamed, ...costly]) registry.removeSingleMetric(name)
  new Counter({
    name: `${prefix}http_requests_total`,
    help: 'Requests by route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { method, route, statuses } of rows)
        for (const [status, count] of statuses.entries())
          if (count > 0) this.inc({ method, route, status: String(status) }, count)
    },
  })
  for (const { name, help, labels, read } of counters)
    new Counter({
      name: prefix + name,
      help,
      labelNames: [...labels],
      registers: [registry],
      collect() {
        this.reset()
        for (const { labels: named, value } of read()) this.inc(named, value)
      },
    })
  for (const { name, help, labels, read } of gauges) {
    const lately = aged(read, { now, forMs: freshMs, from: 'START' })
    new Gauge({
      name: prefix + name,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        const readings = await lately.get().catch(() => [])
        this.reset()
        // After a reset, a gauge without labels reports 0, which would be false for a value that could not be read.
        if (readings.length === 0 && labels.length === 0) this.remove()
        for (const { labels: named, value } of readings) this.set(named, value)
      },
    })
  }
  return registry
}

/** Serves `GET /metrics`, in the text format of Prometheus. The client library is loaded at the first request. */
export function metrics(ports: MetricsPorts, rows: readonly RouteCounts[], now: () => number): AnyElysia {
  let loading: ReturnType<typeof registryOf> | null = null
  return new Elysia().get(
    '/metrics',
    async ({ request, set, server }) => {
      const mayRead = ports.token === null ? isFromHere(request, server) : hasToken(request, ports.token)
      if (!mayRead) throw new Refusal('INVALID_TOKEN')
      loading ??= registryOf(ports, rows, now)
      const registry = await loading
      set.headers['content-type'] = registry.contentType
      set.headers['cache-control'] = 'no-store'
      return [await registry.metrics(), ...[requestTimes(rows), ...(ports.histograms ?? [])].map(histogram)].join('\n')
    },
    hidden,
  )
}

/** Whether a request comes from this machine, and not through a proxy that runs here for others. */
function isFromHere(request: Request, server: Network): boolean {
  const address = server?.requestIP(request)?.address ?? '127.0.0.1'
  return isLoopback(address) && !request.headers.has('x-forwarded-for') && !request.headers.has('forwarded')
}

const hasToken = (request: Request, token: string): boolean => {
  const [sent, expected] = [request.headers.get('authorization') ?? '', `Bearer ${token}`].map((text) =>
    Bun.SHA256.hash(text, 'hex'),
  )
  return sent === expected
}

const requestTimes = (rows: readonly RouteCounts[]): Histogram => ({
  name: 'http_request_duration_seconds',
  help: 'Duration of requests by route',
  bounds,
  read: () =>
    rows.map(({ method, route, statuses, buckets, sumSeconds }) => {
      const count = statuses.reduce((sum, n) => sum + n, 0)
      return { labels: { method, route }, buckets, sumSeconds, count }
    }),
})

/** Writes a histogram in the text format of Prometheus. */
function histogram({ name, help, bounds, read }: Histogram): string {
  const full = prefix + name
  const lines = [`# HELP ${full} ${help}`, `# TYPE ${full} histogram`]
  for (const { labels, buckets, sumSeconds, count } of read()) {
    const labelText = Object.entries(labels)
      .map(([label, value]) => `${label}="${value}"`)
      .join(',')
    let sum = 0
    for (const [n, bound] of bounds.entries()) {
      sum += buckets[n]!
      lines.push(`${full}_bucket{le="${bound}",${labelText}} ${sum}`)
    }
    lines.push(`${full}_bucket{le="+Inf",${labelText}} ${count}`)
    lines.push(`${full}_sum{${labelText}} ${sumSeconds}`, `${full}_count{${labelText}} ${count}`)
  }
  return `${lines.join('\n')}\n`
}
