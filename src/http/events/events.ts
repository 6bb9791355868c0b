import { Elysia } from 'elysia'
import { eventTypes, matchingEventTypes } from '../../domain/event-types'
import { eventsListedMs } from '../../domain/retention'
import { type } from '../../domain/schema'
import { plans } from '../../domain/tenant/organization'
import { timeOfEvent } from '../../events/event-id'
import { type EventFilter, eventPage, positionAfter, textFor } from '../../events/event-page'
import type { Semaphores } from '../../ports/limits'
import type { EventLog, EventReader } from '../../ports/webhooks'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { type Caller, everyRole, type Gate } from '../request/caller'
import { type NoteBug, Refusal } from '../request/failure'
import { bodyOf, logQuery, nextLink, readListQuery } from '../request/page'
import { readQuery } from '../request/query'
import { EventView } from '../views/event'
import { example } from '../views/examples'
import { IdFilter } from '../views/filter'
import { described, UserId } from '../views/scalar'
import { eventStream, type Resume, type StreamPorts } from './event-stream'
import { streamPermits } from './stream-permits'

type EventPorts = {
  eventLog: EventLog
  events: EventReader
  readiness: { isDraining: () => boolean }
  semaphores: Semaphores
  noteBug: NoteBug
  now: () => number
}

const filters = {
  'after?': described(type(/^.{1,100}$/).describe('the id of an event'), 'Start after this event', example.eventId),
  'types?': described(
    type(/^[a-z_.*,]{1,1000}$/).describe('names of event types, separated by commas'),
    'Types or families such as `deposit.*`, separated by commas; by default all except `execution.moved`. More ' +
      'types may be added: ignore unknown types',
    'execution.*,deposit.detected',
  ),
  'userId?': UserId,
  'executionId?': IdFilter('Only events of this execution', example.depositId),
} as const
const Query = type({ ...logQuery, ...filters })
const StreamQuery = type(filters)
const readEventQuery = (request: Request) => readListQuery(request, Query, true)

type Exchange = {
  caller: Caller
  request: Request
  set: { headers: Record<string, string | number | undefined> }
  server: { timeout(request: Request, seconds: number): void } | null
}

const usual = plans.free.streams

const listEventsDocs = operationDocs({
  operationId: 'listEvents',
  tag: 'Events',
  summary: 'List events',
  description:
    'In the order of the log, the first logged first. There is always a `link`: follow it to poll for more, also after ' +
    'a page without events. Events are kept for 7 days. Keep the highest `seq` per `data.id`; `deposit.orphaned` ' +
    'and `deposit.returned` do not count. With `accept: text/event-stream`, the response is ' +
    '[the stream](#/Events/streamEvents).',
  roles: everyRole.roles,
  query: Query,
  answers: { 200: { rows: EventView, description: 'The events.' } },
  refusals: ['EVENTS_EXPIRED', 'TOO_MANY_STREAMS', 'UNKNOWN_PARAMETER'],
})

const streamEventsDocs = operationDocs({
  operationId: 'streamEvents',
  tag: 'Events',
  summary: 'Stream events',
  description:
    'Server-sent events: each `data` is an `Event`, each `id` the id of that event. Resume with the header ' +
    '`Last-Event-ID`: no event is left out, and some repeat only if that id is no longer stored. `ping` is sent ' +
    'every 15 s. After `reset`, read your data again. ' +
    `At most ${usual.perKey} streams of a key, ${usual.perOrganization} of ` +
    `an organization and ${usual.perPerson} by the keys of one person can be open at a time. Further streams ` +
    'are refused with 429.',
  roles: everyRole.roles,
  query: StreamQuery,
  isStream: true,
  answers: { 200: { view: EventView, description: 'The events, for as long as the connection lasts.' } },
  refusals: ['TOO_MANY_STREAMS', 'UNKNOWN_PARAMETER'],
})

type EventQuery = { after?: string | undefined; types?: string; userId?: string; executionId?: string }

function filterOf({ tenant }: Caller, { after, types: named, userId, executionId }: EventQuery): EventFilter {
  const types = matchingEventTypes(named)
  if (!types) throw new Refusal('VALIDATION_FAILED', { message: `types must be among ${eventTypes.join(', ')}` })
  if (after !== undefined && timeOfEvent(after) === null)
    throw new Refusal('VALIDATION_FAILED', { message: 'after must be the id of an event' })
  return { tenant, types, userId, executionId }
}

/** Returns where a stream begins, by the last event that the reader received. */
async function resumeAt(
  { eventLog, now }: Pick<EventPorts, 'eventLog' | 'now'>,
  id: string | null | undefined,
): Promise<Resume> {
  if (!id) return null
  const at = timeOfEvent(id)
  if (at === null) return { reset: 'UNKNOWN_ID' }
  return at < now() - eventsListedMs ? { reset: 'TOO_OLD' } : { after: (await positionAfter(eventLog, id))! }
}

/** Serves streams of events. All of them share one reader of the log. */
function streams({ eventLog, events, readiness, semaphores, noteBug, now }: EventPorts) {
  const noteTrouble = (error: unknown) => noteBug(error, { requestId: '', route: 'events' })
  const streaming: StreamPorts = { events, isDraining: readiness.isDraining, now, noteTrouble }
  const permitOf = streamPermits({ semaphores, now, noteTrouble })

  return async ({ caller, request, set, server }: Exchange, query: EventQuery): Promise<Response> => {
    const filter = filterOf(caller, query)
    server?.timeout(request, 0)
    set.headers['cache-control'] = 'no-store'
    const resume = await resumeAt({ eventLog, now }, request.headers.get('last-event-id') ?? query.after)
    const permit = await permitOf(caller)
    if (!permit) throw new Refusal('TOO_MANY_STREAMS', { headers: { 'retry-after': '10' } })
    const body = eventStream(streaming, { caller, filter, resume, permit }, request.signal)
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
    return new Response(body, { headers })
  }
}

/** Serves pages of the list. The `link` leads to the next page, on the same path. */
const lists =
  ({ eventLog, now }: EventPorts, path: string) =>
  async ({ caller, set }: Exchange, { listed, filters }: ReturnType<typeof readEventQuery>): Promise<object> => {
    const filter = filterOf(caller, filters)
    const { after, ...named } = filters
    const oldest = now() - eventsListedMs
    if (after !== undefined && timeOfEvent(after)! < oldest)
      throw new Refusal('EVENTS_EXPIRED', {
        message: `Events before ${new Date(oldest).toISOString()} are no longer kept`,
      })
    const from = after === undefined ? eventLog.positionBefore(oldest) : positionAfter(eventLog, after)
    const { events, next: end } = await eventPage(eventLog, filter, (await from)!, listed.limit)
    set.headers['cache-control'] = 'private, no-cache'
    const next = end ?? after
    set.headers['link'] = nextLink(path, named, listed, { after: next })
    const page = { rows: events, next: next ?? null, envelope: listed.envelope }
    return bodyOf({ set }, page, (event) => JSON.parse(textFor(filter.tenant, event)))
  }

/** Events: live in a stream, or afterwards in a list (extensions 6). */
export function events(ports: EventPorts, gate: Gate, prefix: string) {
  const stream = streams(ports)
  const list = lists(ports, `${prefix}/events`)
  return new Elysia({ prefix })
    .use(authenticate(gate, everyRole))
    .get(
      '/events',
      async (exchange) => {
        const query = readEventQuery(exchange.request)
        const isStream = /(^|,)\s*text\/event-stream/i.test(exchange.request.headers.get('accept') ?? '')
        return isStream ? stream(exchange, query.filters) : list(exchange, query)
      },
      listEventsDocs,
    )
    .get(
      '/events/stream',
      async (exchange) => stream(exchange, readQuery(exchange.request, StreamQuery, true)),
      streamEventsDocs,
    )
}
