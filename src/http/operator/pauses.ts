import { Elysia } from 'elysia'
import { rewrite } from '../../domain/concurrency'
import { type, view } from '../../domain/schema'
import { pausedFrom } from '../../domain/tenant/chain-pauses'
import type { IdempotentRequests } from '../../ports/limits'
import type { Pause } from '../../ports/operators'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import type { Caller, Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Refusal } from '../request/failure'
import { idempotent } from '../request/idempotent'
import { readQuery } from '../request/query'
import { assureSeen, SeenVersion, ShownVersion } from '../request/seen'
import { described, Flag, isoTime, isoTimeOrNull, Text, Time, TimeOrNull } from '../views/scalar'
import { operatorOnly, operatorVerbs } from './access'
import { FutureTime, futureTimeOf } from './future-time'
import { noteVerb } from './note-verb'
import {
  concerns,
  isInForce,
  isOwn,
  organizationOf,
  pauseVersionOf,
  publicScopeOf,
  scopeForms,
  scopeOf,
} from './pause-scope'
import type { OperatorPorts } from './ports'
import { Reason, ReasonQuery } from './reason'
import { type ChangeContext, requestOf } from './request-context'

type Ports = {
  operator: Pick<OperatorPorts, 'pauses' | 'auditLog' | 'newId' | 'providerNames' | 'organizations'>
  idempotency: IdempotentRequests
  now: () => number
}

const ScopeParams = type({
  scope: described(type('1 <= string <= 100'), `What is paused: ${scopeForms}`, 'organization'),
})
export const PauseBody = type({
  reason: Reason,
  'until?': FutureTime('When it ends automatically; null if an operator must end it'),
  'version?': described(
    SeenVersion.or('null'),
    'The `version` of the pause that you saw, null for none. If it has changed, nothing is done: 409 CHANGED_MEANWHILE',
    null,
  ),
})

export const PauseView = view({
  scope: Text('What is paused', 'organization'),
  isOwn: Flag('Whether it is the pause that you name `organization`', true),
  version: ShownVersion,
  reason: Text('The reason', 'The recipient’s exchange asked for it'),
  until: TimeOrNull('When it ends automatically', null),
  createdAt: Time('When it began'),
  updatedAt: Time('When it was last changed'),
  'organizationId?': Text('For the platform’s operators only: the organization, if one is paused', 'org_1'),
})

function pauseView(pause: Pause, caller: Caller): typeof PauseView.infer {
  const { tenant, organization } = caller
  const { reason, until, createdAt, updatedAt } = pause
  const organizationId = organizationOf(pause)
  return {
    scope: publicScopeOf(pause),
    isOwn: isOwn(pause, organization),
    version: pauseVersionOf(pause, caller),
    reason,
    until: isoTimeOrNull(until),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    ...(tenant === null && organizationId !== null && { organizationId }),
  }
}

const listPausesDocs = operationDocs({
  operationId: 'listPauses',
  tag: 'Operators',
  summary: 'List pauses',
  description: 'Every pause in force that concerns your organization, newest first.',
  roles: operatorOnly.roles,
  answers: { 200: { view: PauseView.array(), description: 'The pauses.', headers: ['etag'] } },
  refusals: ['UNKNOWN_PARAMETER'],
})

const putPauseDocs = {
  params: ScopeParams,
  body: PauseBody,
  ...operationDocs({
    operationId: 'putPause',
    tag: 'Operators',
    summary: 'Pause a scope',
    description:
      'Deposits are still detected and wait in stage PAUSED, without a retry. Nothing new is signed; signed orders ' +
      'are completed. The scope `organization` is your own. The platform’s operators set and end the others.',
    roles: operatorOnly.roles,
    bodyExample: { reason: 'The provider reports trouble', until: null },
    isMutation: true,
    answers: { 200: { view: PauseView, description: 'It is paused.' } },
    refusals: ['CHANGED_MEANWHILE'],
  }),
}

const deletePauseDocs = {
  params: ScopeParams,
  ...operationDocs({
    operationId: 'deletePause',
    tag: 'Operators',
    summary: 'End a pause',
    description: 'Waiting deposits continue within seconds.',
    roles: operatorOnly.roles,
    query: ReasonQuery,
    isMutation: true,
    answers: { 204: { view: null, description: 'It is no longer paused.' } },
    refusals: ['NOT_FOUND', 'CHANGED_MEANWHILE', 'UNKNOWN_PARAMETER'],
  }),
}

/** Refuses to replace a pause that its author did not see, or to begin one in place of a pause that has ended. */
function assureSeenPause(current: Pause | null, seen: string | null | undefined, caller: Caller, at: number): void {
  const inForce = current && isInForce(current, at) ? current : null
  if (inForce && seen === null) throw new Refusal('CHANGED_MEANWHILE', { message: 'This is paused already' })
  if (!inForce && seen) throw new Refusal('CHANGED_MEANWHILE', { message: 'The pause has ended' })
  if (inForce && seen) assureSeen(inForce, seen, pauseVersionOf(inForce, caller))
}

/** Pauses a scope, or changes the reason and the end of a pause that is in force. */
async function putPause(ports: Ports, { caller, set }: ChangeContext, scope: string, body: typeof PauseBody.infer) {
  const { operator, now } = ports
  const id = await scopeOf(scope, caller, operator)
  const until = futureTimeOf('until', body.until, now())
  const { reason, version } = body
  assureSeenPause(await operator.pauses.load(id), version, caller, now())
  const operationRequest = requestOf(caller, reason, set)
  const details = { until: isoTimeOrNull(until) }
  await noteVerb(operator, caller, operationRequest, { verb: 'pause.put', target: id, at: now(), details })
  const stored = await rewrite(operator.pauses, id, (current) => {
    const at = now()
    assureSeenPause(current, version, caller, at)
    const since = pausedFrom(current && isInForce(current, at) ? current : null, at)
    const by = operationRequest.actor.id
    return { id, version: current?.version ?? 0, reason, until, by, createdAt: since, updatedAt: at, resumedAt: null }
  })
  return { status: 200, view: pauseView(stored!, caller) } as const
}

async function endPause(
  { operator, now }: Ports,
  { caller, set }: ChangeContext,
  scope: string,
  { reason, version }: typeof ReasonQuery.infer,
) {
  const id = await scopeOf(scope, caller, operator)
  const shown = await operator.pauses.load(id)
  if (!shown) throw new Refusal('NOT_FOUND', { message: 'This scope was never paused' })
  assureSeen(shown, version, pauseVersionOf(shown, caller))
  const operationRequest = requestOf(caller, reason, set)
  await noteVerb(operator, caller, operationRequest, { verb: 'pause.delete', target: id, at: now() })
  await rewrite(operator.pauses, id, (current) => {
    if (!current || !isInForce(current, now())) return null
    assureSeen(current, version, pauseVersionOf(current, caller))
    return { ...current, resumedAt: now(), updatedAt: now() }
  })
  return { status: 204, view: null } as const
}

/** Pauses. During a pause, intake continues: deposits wait, and nothing new is signed (extensions 9.1). */
export function operatorPauses(ports: Ports, gate: Gate, prefix: string) {
  const { operator, idempotency, now } = ports

  return new Elysia({ prefix })
    .use(authenticate(gate, operatorVerbs))
    .get(
      '/operator/pauses',
      async ({ caller, request, set }) => {
        readQuery(request, type({}), true)
        const pauses = await operator.pauses.changedSince(0)
        const inForce = pauses.filter((pause) => isInForce(pause, now()) && concerns(pause, caller))
        const newestFirst = inForce.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
        return answer(
          { request, set },
          newestFirst.map((pause) => pauseView(pause, caller)),
        )
      },
      listPausesDocs,
    )
    .put(
      '/operator/pauses/:scope',
      async ({ params, body, caller, request, path, set }) =>
        idempotent(idempotency, now, { request, path, set }, { caller, body }, () =>
          putPause(ports, { caller, set }, params.scope, body),
        ),
      putPauseDocs,
    )
    .delete(
      '/operator/pauses/:scope',
      async ({ params, caller, request, path, set }) => {
        const query = readQuery(request, ReasonQuery, true)
        return idempotent(idempotency, now, { request, path, set }, { caller, body: query }, () =>
          endPause(ports, { caller, set }, params.scope, query),
        )
      },
      deletePauseDocs,
    )
}
