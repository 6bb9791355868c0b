import { Elysia } from 'elysia'
import { type MetricsPorts, metrics, requestMetrics } from '../metrics/metrics'
import { arrivals } from '../request/arrival-time'
import { closesWhileDraining } from '../request/draining'
import { entrance, everyPath, type Handle, type Refuse, refusingAtEntrance } from '../request/entrance'
import { failureBody, failures, type NoteBug } from '../request/failure'
import { health } from './health'
import { type Readiness, ready } from './ready'

export const apiPrefix = '/api'

/** The server itself refuses a longer body, without a response of ours. */
const bodyBytesHardMax = 4 * 1024 * 1024

/** The routes of a process outside the API: its liveness, its readiness and its metrics. */
export const createProbes = ({ noteBug, now, readiness, metrics: measured }: ProbePorts) => {
  const { plugin: counted, rows, refused } = requestMetrics()
  const refuse = refusingAtEntrance(refused)
  let handle: Handle
  const app = new Elysia(serving(noteBug, () => handle, refuse))
    .use(arrivals)
    .use(closesWhileDraining(readiness.isDraining))
    .use(counted)
    .use(failures(noteBug))
    .use(health(now, apiPrefix))
    .use(ready(readiness, now))
    .use(metrics(measured, rows, now))
    .use(entrance(refuse))
  handle = app.fetch
  return app
}
type ProbePorts = { noteBug: NoteBug; now: () => number; readiness: Readiness; metrics: MetricsPorts }

/** @param handle Serves the paths that Bun's router has no route for. */
export const serving = (noteBug: NoteBug, handle: () => Handle, refuse: Refuse) => ({
  // By default, Elysia expects the path after a host of at least four characters.
  handler: { standardHostname: false },
  serve: {
    development: false,
    reusePort: false,
    idleTimeout: 60,
    maxRequestBodySize: bodyBytesHardMax,
    routes: everyPath(handle, refuse),
    error: (error: unknown) => {
      noteBug(error, { requestId: '', route: 'outside every route' })
      return Response.json(failureBody(500, 'Internal server error'), { status: 500 })
    },
  },
})
