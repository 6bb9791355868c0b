import { Elysia } from 'elysia'
import { type, view } from '../../domain/schema'
import type { AuditEntry } from '../../domain/tenant/audit'
import type { ExecutionQueries, StateCount } from '../../ports/queries'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import type { Caller, Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Cursor, Limit, pageOf } from '../request/page'
import { readQuery } from '../request/query'
import { asText } from '../routes/deposits'
import { ActorView } from '../views/actor'
import { example } from '../views/examples'
import { IdFilter, TimeFilter } from '../views/filter'
import {
  Count,
  described,
  Flag,
  isoTime,
  isoTimeOrNull,
  StatusOrNull,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
} from '../views/scalar'
import { assurePlatform, operatorOnly } from './access'
import type { OperatorPorts } from './ports'

type Ports = {
  operator: Pick<OperatorPorts, 'auditLog' | 'providers'>
  executionQueries: Pick<ExecutionQueries, 'countByState'>
  now: () => number
}

export const StateCountView = view({
  state: Text('State of the machine; see `GET /api/lifecycle`', 'RUNNING'),
  status: StatusOrNull('Its status; null before there is one', 'RUNNING'),
  count: Count('Number of executions', 3),
  superseded: Count('How many of them another execution has superseded', 0),
  oldestAt: Time('When the oldest of them was detected'),
})

export const ProviderView = view({
  provider: Text('Key of the provider', 'lifi'),
  healthy: Flag('Whether it answers as it should', true),
  errorRate: described(type('0 <= number <= 1'), 'Share of the calls that failed', 0.004),
  p50Ms: described(type('number >= 0 | null'), 'Median duration of a call', 210),
  p95Ms: described(type('number >= 0 | null'), '95th percentile of the duration of a call', 640),
  credentialsRefusedAt: TimeOrNull('Since when it has refused our credentials; null while it accepts them', null),
  breaker: described(
    type("'CLOSED' | 'OPEN' | 'HALF_OPEN'"),
    'Circuit breaker; while OPEN the provider is not asked',
    'CLOSED',
  ),
  updatedAt: TimeOrNull('When it was last asked', '2026-11-21T10:00:23.871Z'),
})

export const AuditEntryView = view({
  id: Text('The entry', 'aud_01M7YS2Q'),
  at: Time('When it was done', '2026-11-21T10:22:08.004Z'),
  actor: described(ActorView, 'Who did it'),
  verb: Text('What was done', 'execution.redrive'),
  target: Text('What it was done to', example.depositId),
  reason: TextOrNull('The reason', 'Integrator moved the target to USDC on arbitrum'),
  details: described(type('object'), 'Further details', { intent: 'CURRENT', intentVersion: 4 }),
  requestId: TextOrNull('The request that asked for it', 'req_3nK8vQ0cYxW2tB7mZs1LpA'),
  'organizationId?': Text('For the platform’s operators only', 'org_1'),
})

const auditView = ({ at, organizationId, ...entry }: AuditEntry, { tenant }: Caller) => ({
  id: entry.id,
  at: isoTime(at),
  actor: entry.actor,
  verb: entry.verb,
  target: entry.target,
  reason: entry.reason,
  details: entry.details,
  requestId: entry.requestId,
  ...(tenant === null && { organizationId }),
})

const AuditQuery = type({
  limit: Limit(),
  'cursor?': Cursor,
  'verb?': described(type(/^[a-z_.-]{1,64}$/).describe('a verb'), 'Only acts with this verb', 'execution.redrive'),
  'target?': IdFilter('Only acts on this target', example.depositId),
  'actor?': IdFilter('Only acts of this actor', 'key_9fT2'),
  'createdFrom?': TimeFilter('Written at this time or later', '2026-11-01T00:00:00.000Z'),
  'createdTo?': TimeFilter('Written before this time', '2026-12-01T00:00:00.000Z'),
})

const freshMs = 2_000

const countStatesDocs = operationDocs({
  operationId: 'countStates',
  tag: 'Operators',
  summary: 'Count executions by state',
  description: 'Includes executions that are not shown yet. The counts are at most two seconds old.',
  roles: operatorOnly.roles,
  answers: {
    200: { view: StateCountView.array(), description: 'The states that have executions.', headers: ['etag'] },
  },
  refusals: ['UNKNOWN_PARAMETER'],
})

const listProvidersDocs = operationDocs({
  operationId: 'listProviders',
  tag: 'Operators',
  summary: 'Health of the providers',
  description: 'For the platform’s operators. The figures cover the last 10 minutes.',
  roles: operatorOnly.roles,
  answers: { 200: { view: ProviderView.array(), description: 'The providers.', headers: ['etag'] } },
  refusals: ['UNKNOWN_PARAMETER'],
})

const listAuditDocs = operationDocs({
  operationId: 'listAudit',
  tag: 'Operators',
  summary: 'The audit log',
  description: 'Newest first. Entries are never changed or removed.',
  roles: operatorOnly.roles,
  query: AuditQuery,
  answers: { 200: { view: AuditEntryView.array(), description: 'The entries.', headers: ['etag', 'link'] } },
  refusals: ['INVALID_CURSOR', 'UNKNOWN_PARAMETER'],
})

const nothing = type({})

/** Counts the states of a tenant's executions, at most once in a while. */
function cachedCounts({ executionQueries, now }: Ports) {
  const countsByTenant = new Map<string | null, { at: number; states: Promise<StateCount[]> }>()
  return (organizationId: string | null): Promise<StateCount[]> => {
    const known = countsByTenant.get(organizationId)
    if (known && known.at + freshMs > now()) return known.states
    const states = executionQueries.countByState({ organizationId })
    states.catch(() => countsByTenant.delete(organizationId))
    countsByTenant.set(organizationId, { at: now(), states })
    return states
  }
}

/** State counts, the health of the providers, and the audit log, for operators (extensions 9.1). */
export function operatorReads(ports: Ports, gate: Gate, prefix: string) {
  const { operator } = ports
  const countOf = cachedCounts(ports)

  return new Elysia({ prefix })
    .use(authenticate(gate, operatorOnly))
    .get(
      '/operator/states',
      async ({ caller, request, set }) => {
        readQuery(request, nothing, true)
        const states = await countOf(caller.tenant)
        const rows = states.map(({ oldestAt, unlisted: _, forProvider: __, ...row }) => ({
          ...row,
          oldestAt: isoTime(oldestAt),
        }))
        return answer(
          { request, set },
          rows.toSorted((a, b) => (a.state < b.state ? -1 : 1)),
        )
      },
      countStatesDocs,
    )
    .get(
      '/operator/providers',
      async ({ caller, request, set }) => {
        assurePlatform(caller)
        readQuery(request, nothing, true)
        const healths = await operator.providers()
        return answer(
          { request, set },
          healths.map(({ credentialsRefusedAt, updatedAt, failingSince: _, isAway: __, ...health }) => ({
            ...health,
            credentialsRefusedAt: isoTimeOrNull(credentialsRefusedAt),
            updatedAt: isoTimeOrNull(updatedAt),
          })),
        )
      },
      listProvidersDocs,
    )
    .get(
      '/operator/audit',
      async ({ caller, request, set }) => {
        const { limit, cursor, actor, ...filter } = readQuery(request, AuditQuery, true)
        const rows = await pageOf(
          { request, set },
          { path: `${prefix}/operator/audit`, filters: asText({ ...filter, actor }), listed: { limit, cursor } },
          (page) => operator.auditLog.list({ organizationId: caller.tenant, ...filter, actorId: actor }, page),
          ({ at, id }) => ({ createdAt: at, id }),
        )
        return answer(
          { request, set },
          rows.map((row) => auditView(row, caller)),
        )
      },
      listAuditDocs,
    )
}
