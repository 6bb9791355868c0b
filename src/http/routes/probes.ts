import { Elysia } from 'elysia'
import { type MetricsPorts, metrics, requestMetrics } from '../metrics/metrics'
import { arrivals } from '../request/arrival-time'
import { closesWhileDraining } from '../request/draining'
import { failureBody, failures, type NoteBug } from '../request/failure'
import { health } from './health'
import { type Readiness, ready } from './ready'

export const apiPrefix = '/api'

/** A body longer than this is refused by the server itself, without an answer of ours. */
const bodyBytesHardMax = 4 * 1024 * 1024

/** The routes of a process outside the API: whether it lives, whether it is ready, and its metrics. */
export const createProbes = ({ noteBug, now, readiness, metrics: measured }: ProbePorts) => {
  const { plugin: counted, rows } = requestMetrics()
  return new Elysia({ serve: serving(noteBug) })
    .use(arrivals)
    .use(closesWhileDraining(readiness.isDraining))
    .use(counted)
    .use(failures(noteBug))
    .use(health(now, apiPrefix))
    .use(ready(readiness, now))
    .use(metrics(measured, rows, now))
}
type ProbePorts = { noteBug: NoteBug; now: () => number; readiness: Readiness; metrics: MetricsPorts }

export const serving = (noteBug: NoteBug) => ({
  development: false,
  reusePort: false,
  idleTimeout: 60,
  maxRequestBodySize: bodyBytesHardMax,
  error: (error: unknown) => {
    noteBug(error, { requestId: '', route: 'outside every route' })
    return Response.json(failureBody(500, 'Internal server error'), { status: 500 })
  },
})
