import { type AnyElysia, Elysia } from 'elysia'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { Refusal } from './failure'
import { hidden } from './operation'

/** Something that is looked up when somebody asks for it. */
export type Reading = { labels: Record<string, string>; value: number }
export type Measured = { name: string; help: string; labels: readonly string[]; read: () => Promise<Reading[]> }
export type MetricsPorts = {
  measured: readonly Measured[]
  /** Whoever reads them must send it as a bearer token; null: nobody need to. */
  token: string | null
}

/** Seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Row = { method: string; route: string; statuses: Map<number, number>; buckets: number[]; sumSeconds: number }
type Timed = { startedAt?: number }

/**
 * What is measured of requests, by the route's pattern and never by what was asked. Counting is an addition to a plain
 * number; what Prometheus wants is made when it asks.
 */
export function requestMetrics() {
  const rows = new Map<string, Row>()

  function note(method: string, route: string, status: number, seconds: number): void {
    const key = `${method} ${route}`
    let row = rows.get(key)
    if (!row) {
      row = { method, route, statuses: new Map(), buckets: bounds.map(() => 0), sumSeconds: 0 }
      rows.set(key, row)
    }
    row.statuses.set(status, (row.statuses.get(status) ?? 0) + 1)
    row.sumSeconds += seconds
    const place = bounds.findIndex((bound) => seconds <= bound)
    if (place >= 0) row.buckets[place]!++
  }

  const plugin = new Elysia({ name: 'request metrics' })
    .onRequest((context) => {
      ;(context as Timed).startedAt = performance.now()
    })
    .onAfterResponse({ as: 'global' }, (context) => {
      const { set, route, request } = context
      const { startedAt = performance.now() } = context as Timed
      const status = typeof set.status === 'number' ? set.status : 200
      note(request.method, route ?? 'none', status, (performance.now() - startedAt) / 1_000)
    })

  return { plugin, rows }
}

const prefix = 'switchyard_'

/** `GET /metrics`, in the text format of Prometheus. */
export function metrics({ measured, token }: MetricsPorts, rows: ReadonlyMap<string, Row>): AnyElysia {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Counter({
    name: `${prefix}http_requests_total`,
    help: 'Requests by route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { method, route, statuses } of rows.values())
        for (const [status, count] of statuses) this.inc({ method, route, status: String(status) }, count)
    },
  })
  for (const { name, help, labels, read } of measured)
    new Gauge({
      name: prefix + name,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        const readings = await read().catch(() => [])
        this.reset()
        for (const { labels: named, value } of readings) this.set(named, value)
      },
    })

  return new Elysia().get(
    '/metrics',
    async ({ request, set }) => {
      if (token !== null && !isTold(request, token)) throw new Refusal('INVALID_TOKEN')
      set.headers['content-type'] = registry.contentType
      set.headers['cache-control'] = 'no-store'
      return (await registry.metrics()) + durations(rows)
    },
    hidden,
  )
}

const isTold = (request: Request, token: string): boolean => {
  const [told, known] = [request.headers.get('authorization') ?? '', `Bearer ${token}`].map((text) =>
    Bun.SHA256.hash(text, 'hex'),
  )
  return told === known
}

/** A histogram as text: the counts are kept as they are noted. */
function durations(rows: ReadonlyMap<string, Row>): string {
  const name = `${prefix}http_request_duration_seconds`
  const lines = [`\n# HELP ${name} Duration of requests by route`, `# TYPE ${name} histogram`]
  for (const { method, route, statuses, buckets, sumSeconds } of rows.values()) {
    const labels = `method="${method}",route="${route}"`
    const total = [...statuses.values()].reduce((sum, count) => sum + count, 0)
    let sum = 0
    for (const [n, bound] of bounds.entries()) {
      sum += buckets[n]!
      lines.push(`${name}_bucket{le="${bound}",${labels}} ${sum}`)
    }
    lines.push(`${name}_bucket{le="+Inf",${labels}} ${total}`)
    lines.push(`${name}_sum{${labels}} ${sumSeconds}`, `${name}_count{${labels}} ${total}`)
  }
  return `${lines.join('\n')}\n`
}
