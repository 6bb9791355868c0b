import { Elysia } from 'elysia'
import { jobMax } from '../../domain/execution/operation'
import { type } from '../../domain/schema'
import type { Organization } from '../../domain/tenant/organization'
import type { Job } from '../../ports/operators'
import type { DepositQueries, ExecutionQueries } from '../../ports/queries'
import type { ApiKeys } from '../../ports/tenants'
import { assurePlatform, operatorOnly } from '../operator/access'
import { filterOf, JobBody, type JobView, jobVerb, jobView } from '../operator/jobs'
import type { OperatorPorts } from '../operator/ports'
import { authenticate } from '../request/authenticate'
import type { CountIn } from '../request/limits'
import { bodyOf, Limit, limitMax, listQuery, pageOf, readListQuery } from '../request/page'
import { isoTime } from '../views/scalar'
import type { ViewContextFor } from '../views/view-context'
import { memberGate } from './member-gate'
import type { SessionPorts } from './member-session'
import { overdueRecordsOf } from './overdue-records'

type Ports = SessionPorts & {
  executionQueries: ExecutionQueries
  apiKeys: ApiKeys
  countIn: CountIn
  depositQueries: Pick<DepositQueries, 'find'>
  viewContextFor: ViewContextFor
  operator: Pick<OperatorPorts, 'jobs' | 'organizations' | 'overdue'>
}

const latestMax = 20
const TenantsQuery = type({ ...listQuery, limit: Limit(limitMax) })
const CountBody = type({ verb: jobVerb, filter: JobBody.get('filter') })

/** Number of executions that match at a time, and the limit of one job. A job names this time as `seenAt`. */
export type MatchedView = { matched: number; most: number; at: string }

/**
 * Serves operators who act on many executions: the number that match, the latest jobs, the records of what is overdue,
 * and the selectable organizations.
 */
export const bulkRoutes = (ports: Ports) =>
  new Elysia()
    .use(authenticate(memberGate(ports), operatorOnly))
    .post(
      '/jobs/count',
      async ({ body, caller }): Promise<MatchedView> => ({
        at: isoTime(ports.now()),
        matched: await ports.executionQueries.count(filterOf(body, caller), jobMax + 1),
        most: jobMax,
      }),
      { body: CountBody },
    )
    .get('/jobs', async ({ caller }) => (await ports.operator.jobs.latest(caller.tenant, latestMax)).flatMap(shownJob))
    .get('/overdue/records', ({ caller }) => overdueRecordsOf(ports, caller))
    .get('/tenants', async ({ caller, request, set }) => {
      assurePlatform(caller)
      const { pathname: path } = new URL(request.url)
      const { listed } = readListQuery(request, TenantsQuery, true)
      const page = await pageOf(
        { request, set },
        { path, filters: {}, listed },
        (page) => ports.operator.organizations.list(page),
        ({ createdAt, id }) => ({ createdAt, id }),
      )
      return bodyOf({ set }, page, nameOf)
    })

export type TenantNameView = ReturnType<typeof nameOf>
const nameOf = ({ id, name, slug }: Organization) => ({ id, name, slug })

/** A bulk job with its filter and the operator who requested it. */
export type JobDetailView = typeof JobView.infer & {
  filter: Record<string, unknown>
  by: string
  organizationId: string
}

function shownJob(job: Job): JobDetailView[] {
  const { work, asked, organizationId } = job
  if (work.verb === 'scan') return []
  const { organizationId: _, superseded: __, ...filter } = { superseded: undefined, ...work.filter }
  return [{ ...jobView(job), verb: work.verb, filter, by: asked.actor.label, organizationId }]
}
