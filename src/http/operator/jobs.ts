import { Elysia } from 'elysia'
import { timeOf } from '../../domain/calendar'
import { jobMax, jobStatuses, seenBy } from '../../domain/execution/operation'
import { type, view } from '../../domain/schema'
import type { IdempotentRequests } from '../../ports/limits'
import type { Job, JobWork } from '../../ports/operators'
import type { ExecutionFilter, ExecutionQueries } from '../../ports/queries'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import type { Caller, Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Refusal } from '../request/failure'
import { idempotent } from '../request/idempotent'
import { readFields } from '../request/query'
import { executionFilter } from '../routes/execution-lookup'
import { withTokenAddress } from '../views/filter'
import { Count, described, IdParams, isoTime, requestTime, Text, TextOrNull, Time } from '../views/scalar'
import { operatorOnly, operatorVerbs } from './access'
import { RedriveIntent } from './executions'
import { newJob } from './new-job'
import { noteVerb } from './note-verb'
import type { OperatorPorts } from './ports'
import { Reason } from './reason'
import { requestOf } from './request-context'

type Ports = {
  operator: Pick<OperatorPorts, 'jobs' | 'auditLog' | 'newId'>
  executionQueries: ExecutionQueries
  idempotency: IdempotentRequests
  now: () => number
}

export const jobVerb = type("'retry' | 'redrive'").describe('retry or redrive')
const Filter = type(executionFilter)
export const JobBody = type({
  verb: described(jobVerb, 'The action on each execution', 'retry'),
  filter: described(
    type('object').describe('an object of filters'),
    'The executions, by the filters of `GET /api/executions`; at least one filter',
    {
      causeCode: 'PROVIDER_FAILED',
    },
  ),
  'intent?': described(
    RedriveIntent.or('null').describe('CURRENT or ORIGINAL'),
    'The intent to use; required for `redrive`',
    'CURRENT',
  ),
  'seenAt?': described(
    requestTime.narrow((text, context) => timeOf(text) !== null || context.mustBe('an ISO 8601 time')),
    'When you saw the executions; by default now. Executions created, failed or ended later are left out, and no recipient stored later is paid',
    '2026-11-21T10:00:25.310Z',
  ),
  reason: Reason,
})

export const JobView = view({
  id: Text('The job', 'job_9fT2aQ'),
  verb: described(jobVerb, 'The action on each execution', 'retry'),
  intent: TextOrNull('The intent to use, for `redrive`', null),
  matched: Count('Executions that matched when it was created', 12),
  done: Count('Executions finished so far', 11),
  failed: Count('Executions that refused the action', 1),
  state: described(type("'RUNNING' | 'DONE'"), 'Whether work is left', 'DONE'),
  reason: Text('The reason', 'The provider is back'),
  createdAt: Time('When it was created'),
  updatedAt: Time('When it last progressed'),
})
export const BegunView = view({ id: Text('The job', 'job_9fT2aQ'), matched: Count('Executions that match', 12) })

type RequestedJob = Pick<typeof JobBody.infer, 'verb' | 'filter'>

/**
 * Returns the filter of the executions that a job acts on. A filter without a condition is refused, because it might
 * have lost one by mistake.
 */
export function filterOf({ filter, verb }: RequestedJob, { tenant }: Pick<Caller, 'tenant'>): ExecutionFilter {
  const read = readFields(filter as Record<string, unknown>, Filter)
  if (Object.keys(read).length === 0)
    throw new Refusal('VALIDATION_FAILED', { message: 'filter must have at least one condition' })
  // Only the latest execution of a re-driven deposit can be re-driven.
  const usual = verb === 'redrive' ? { superseded: false } : {}
  return { status: [...jobStatuses[verb]], ...usual, ...withTokenAddress(read), organizationId: tenant }
}

export const jobView = ({ id, work, matched, done, failed, state, asked, createdAt, updatedAt }: Job) => ({
  id,
  verb: work.verb,
  intent: work.verb === 'redrive' ? work.intent : null,
  matched,
  done,
  failed,
  state,
  reason: asked.reason,
  createdAt: isoTime(createdAt),
  updatedAt: isoTime(updatedAt),
})

const createJobDocs = {
  body: JobBody,
  ...operationDocs({
    operationId: 'createJob',
    tag: 'Operators',
    summary: 'Retry or re-drive many executions',
    description: `At most ${jobMax} executions. Without a \`status\` filter, the job acts on all executions that its verb applies to.`,
    roles: operatorOnly.roles,
    bodyExample: { verb: 'retry', filter: { causeCode: 'PROVIDER_FAILED' }, reason: 'The provider is back' },
    isMutation: true,
    answers: { 202: { view: BegunView, description: 'The job has begun.' } },
    refusals: ['LIMIT_REACHED', 'UNKNOWN_PARAMETER'],
  }),
}

const getJobDocs = {
  params: IdParams,
  ...operationDocs({
    operationId: 'getJob',
    tag: 'Operators',
    summary: 'Show the progress of a job',
    description: 'Every execution that it acts on has its own entry in the audit log.',
    roles: operatorOnly.roles,
    answers: { 200: { view: JobView, description: 'The job.', headers: ['etag'] } },
    refusals: ['NOT_FOUND'],
  }),
}

/** Jobs, which apply one action to many executions (extensions 9.1). */
export function operatorJobs({ operator, executionQueries, idempotency, now }: Ports, gate: Gate, prefix: string) {
  const { jobs, newId } = operator
  return new Elysia({ prefix })
    .use(authenticate(gate, operatorVerbs))
    .post(
      '/operator/jobs',
      async ({ body, caller, request, path, set }) =>
        idempotent(idempotency, now, { request, path, set }, { caller, body }, async () => {
          const { verb, intent, reason, seenAt } = body
          const at = now()
          const seen = Math.min(at, timeOf(seenAt ?? '') ?? at)
          const filter = filterOf(body, caller)
          if (verb === 'redrive' && !intent) throw new Refusal('VALIDATION_FAILED', { message: 'intent is required' })
          const matched = await executionQueries.count(seenBy(seen, filter), jobMax + 1)
          if (matched > jobMax) throw new Refusal('LIMIT_REACHED', { message: `No more than ${jobMax} executions` })
          const id = newId('job_')
          const operationRequest = requestOf(caller, reason, set)
          const details = { verb, filter: body.filter, intent: intent ?? null, seenAt: isoTime(seen), matched }
          await noteVerb(operator, caller, operationRequest, { verb: 'job.create', target: id, at, details })
          const work: JobWork =
            verb === 'retry' ? { verb, filter, seenAt: seen } : { verb, filter, intent: intent!, seenAt: seen }
          await jobs.save(newJob(caller, { id, asked: operationRequest, work, matched, at }))
          return { status: 202, view: { id, matched } }
        }),
      createJobDocs,
    )
    .get(
      '/operator/jobs/:id',
      async ({ params: { id }, caller, request, set }) => {
        const job = await jobs.load(id)
        const isTheirs = job && (caller.tenant === null || job.organizationId === caller.tenant)
        if (!isTheirs || job.work.verb === 'scan') throw new Refusal('NOT_FOUND')
        return answer({ request, set }, jobView(job))
      },
      getJobDocs,
    )
}
