import { Elysia } from 'elysia'
import { errorCodes } from '../../domain/error'
import { eventTypes } from '../../domain/event-types'
import type { RetryPolicy } from '../../domain/execution/retry'
import { type, view } from '../../domain/schema'
import { lifecycle } from '../../routing/engine/lifecycle'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { everyRole, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { readQuery } from '../request/query'
import { statusTable } from '../request/status-table'
import { ErrorCategoryOrNull } from '../views/execution'
import { Count, described, Flag, Measure, Status, StatusOrNull, Text, TextOrNull } from '../views/scalar'

const FlagOrNull = (description: string) => described(view('boolean | null'), description, false)

/** The machine as the API publishes it (extensions 10.1). */
export const LifecycleView = view({
  machine: Text('Name of the machine', 'execution'),
  version: Text('Its version; states can change with it, statuses do not', '1'),
  statuses: described(
    view({
      status: described(Status, 'The status', 'FAILED'),
      kind: described(view.enumerated('active', 'terminal'), 'Whether it can still change', 'active'),
      retryable: FlagOrNull('Whether it is retried automatically; null if that does not apply'),
      description: Text('Its meaning', 'An attempt failed. The next one is scheduled.'),
    }).array(),
    'Every status of an execution',
  ),
  states: described(
    view({
      state: Text('The state', 'finding route'),
      status: StatusOrNull('Its status; null before there is one', null),
      step: TextOrNull('The step carried out in it', 'findRoute'),
      kind: described(
        view.enumerated('intake', 'active', 'terminal'),
        'Whether it is before, during or after routing',
        'intake',
      ),
      tone: described(view.enumerated('info', 'success', 'warning', 'danger'), 'How to colour it', 'info'),
      description: Text('Its meaning', 'Requesting a route from the providers.'),
    }).array(),
    'Every state of the machine; states can change and are not part of the contract',
  ),
  transitions: described(
    view({
      from: Text('State before', 'pricing fees'),
      event: Text('The event', 'fees priced'),
      guard: TextOrNull('Condition, if any', 'nothing is left'),
      to: Text('State after', 'FAILED_INSUFFICIENT_AFTER_FEES'),
    }).array(),
    'Every transition between states',
  ),
  retry: described(
    view({
      retriesMax: Count('Retries before the final failure', 10),
      baseSeconds: Measure('Delay before the first retry', 2),
      factor: Measure('Factor by which the delay grows', 2),
      maxSeconds: Measure('Longest delay', 300),
      providerFactor: Measure('Factor after a failure of a provider', 5),
      providerMaxSeconds: Measure('Longest delay after a failure of a provider', 5_400),
      jitter: Text('How much of the delay is random', 'HALF'),
    }),
    'How failed attempts are retried',
  ),
  errorCategories: described(
    view({
      category: Text('The category', 'TIMEOUT'),
      retryable: Flag('Whether it is retried', true),
    }).array(),
    'Every `lastErrorCategory`, and whether it is retried',
  ),
  causes: described(
    view({
      code: described(view.enumerated(...errorCodes), 'The cause; more may be added', 'PROVIDER_TIMEOUT'),
      category: described(ErrorCategoryOrNull, 'Its category', 'TIMEOUT'),
      retryable: Flag('Whether it is retried', true),
      endsIn: StatusOrNull('The status that it leads to', 'FAILED'),
      message: Text('The value of `lastErrorMessage`', 'A routing provider did not answer in time.'),
      advice: Text('Advice', 'No action needed: the service retries automatically.'),
    }).array(),
    'Every `cause.code`',
  ),
  eventTypes: described(view('string[]'), 'The types of events; more may be added', [
    'deposit.detected',
    'execution.running',
  ]),
})

/** Serves the machine from the tables that the code runs on. */
export function lifecycleRoute(retry: RetryPolicy, gate: Gate, prefix: string) {
  const view = { ...lifecycle(retry), eventTypes: [...eventTypes] } as typeof LifecycleView.infer
  return new Elysia({ prefix }).use(authenticate(gate, everyRole)).get(
    '/lifecycle',
    async ({ request, set }) => {
      readQuery(request, type({}), true)
      return answer({ request, set }, view, 'private, max-age=3600')
    },
    operationDocs({
      operationId: 'getLifecycle',
      tag: 'Service',
      summary: 'Show the life cycle of an execution',
      description: `Every status, state, transition, cause and event type, from the tables that the code runs on.\n\n${statusTable()}`,
      roles: everyRole.roles,
      answers: { 200: { view: LifecycleView, description: 'The machine.', headers: ['etag'] } },
      refusals: ['UNKNOWN_PARAMETER'],
    }),
  )
}
