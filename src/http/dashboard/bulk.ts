import { Elysia } from 'elysia'
import { jobMax } from '../../domain/execution/operation'
import { type } from '../../domain/schema'
import type { Organization } from '../../domain/tenant/organization'
import type { Job } from '../../ports/jobs'
import { assurePlatform, operatorOnly } from '../operator/access'
import { filterOf, JobBody, jobVerb, jobView } from '../operator/jobs'
import type { OperatorPorts } from '../operator/ports'
import { authenticate } from '../request/authenticate'
import { Cursor, Limit, limitMax, pageOf } from '../request/page'
import { readQuery } from '../request/query'
import { memberGate } from './member-gate'
import type { MemberPorts } from './ports'

type Ports = Pick<OperatorPorts, 'jobs' | 'organizations'>

const latestMax = 20
const TenantsQuery = type({ limit: Limit(limitMax), 'cursor?': Cursor })
const CountBody = type({ verb: jobVerb, filter: JobBody.get('filter') })

/** For operators who act on many executions: how many match, the latest jobs, and the organizations to act for. */
export const bulkRoutes = (ports: MemberPorts & { operator: Ports }) =>
  new Elysia()
    .use(authenticate(memberGate(ports), operatorOnly))
    .post(
      '/jobs/count',
      async ({ body, caller }) => ({
        matched: await ports.executionQueries.count(filterOf(body, caller), jobMax + 1),
        most: jobMax,
      }),
      { body: CountBody },
    )
    .get('/jobs', async ({ caller }) => (await ports.operator.jobs.latest(caller.tenant, latestMax)).map(shownJob))
    .get('/tenants', async ({ caller, request, set }) => {
      assurePlatform(caller)
      const { pathname: path } = new URL(request.url)
      const listed = readQuery(request, TenantsQuery, true)
      const rows = await pageOf(
        { request, set },
        { path, filters: {}, listed },
        (page) => ports.operator.organizations.list(page),
        ({ createdAt, id }) => ({ createdAt, id }),
      )
      return rows.map(nameOf)
    })

const nameOf = ({ id, name, slug }: Organization) => ({ id, name, slug })

function shownJob(job: Job) {
  const filter = job.work.verb === 'scan' ? {} : job.work.filter
  const { organizationId: _, superseded: __, ...asked } = { organizationId: null, superseded: undefined, ...filter }
  return { ...jobView(job), filter: asked, by: job.asked.actor.label, organizationId: job.organizationId }
}
