import { Elysia } from 'elysia'
import { aged } from '../../domain/aged'
import { type, view } from '../../domain/schema'
import type { ExecutionQueries } from '../../ports/queries'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import type { Gate } from '../request/caller'
import { answer } from '../request/etag'
import { readQuery } from '../request/query'
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
  operator: Pick<OperatorPorts, 'providers'>
  executionQueries: Pick<ExecutionQueries, 'countByState'>
  now: () => number
}

export const StateCountView = view({
  state: Text('State of the machine; see `GET /api/lifecycle`', 'RUNNING'),
  status: StatusOrNull('Its status; null before there is one', 'RUNNING'),
  count: Count('Number of executions', 3),
  superseded: Count('Number superseded by another execution', 0),
  oldestAt: Time('When the oldest of them was detected'),
})

export const ProviderView = view({
  provider: Text('Key of the provider', 'lifi'),
  healthy: Flag('Whether it responds correctly', true),
  errorRate: described(type('0 <= number <= 1'), 'Share of the calls that failed', 0.004),
  p50Ms: described(type('number >= 0 | null'), 'Median duration of a call', 210),
  p95Ms: described(type('number >= 0 | null'), '95th percentile of the duration of a call', 640),
  credentialsRefusedAt: TimeOrNull('Since when it has refused our credentials; null while it accepts them', null),
  unreadable: TextOrNull('The unreadable part of its responses; null if all can be read', null),
  breaker: described(type("'CLOSED' | 'OPEN'"), 'Circuit breaker; while OPEN, the provider gets only probes', 'CLOSED'),
  updatedAt: TimeOrNull('Time of the last request', '2026-11-21T10:00:23.871Z'),
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
  summary: 'List the health of the providers',
  description: 'For the platform’s operators. The figures cover the last 10 minutes.',
  roles: operatorOnly.roles,
  answers: { 200: { view: ProviderView.array(), description: 'The providers.', headers: ['etag'] } },
  refusals: ['UNKNOWN_PARAMETER'],
})

const nothing = type({})

/** State counts and the health of the providers, for operators (extensions 9.1). */
export function operatorReads(ports: Ports, gate: Gate, prefix: string) {
  const { operator, executionQueries, now } = ports
  const count = (organizationId: string | null) => executionQueries.countByState({ organizationId }, now())
  const counts = aged(count, { now, forMs: freshMs, from: 'START' })

  return new Elysia({ prefix })
    .use(authenticate(gate, operatorOnly))
    .get(
      '/operator/states',
      async ({ caller, request, set }) => {
        readQuery(request, nothing, true)
        const states = await counts.get(caller.tenant)
        const rows = states.map(({ state, status, count, superseded, oldestAt }) => ({
          ...{ state, status, count, superseded },
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
          healths.map(({ credentialsRefusedAt, updatedAt, failingSince: _, isAway: __, failsBetween, ...health }) => ({
            ...health,
            healthy: health.healthy && failsBetween.length === 0,
            credentialsRefusedAt: isoTimeOrNull(credentialsRefusedAt),
            updatedAt: isoTimeOrNull(updatedAt),
          })),
        )
      },
      listProvidersDocs,
    )
}
