import { type depositEventTypes, eventTypes, movedType, supersededType } from '../events/event-types'
import type { Json } from './json'
import { refTo } from './openapi-schema'

const depositNews: Record<(typeof depositEventTypes)[number], string> = {
  'deposit.detected': 'A deposit was seen',
  'deposit.confirmed': 'A deposit’s balance was verified at the required depth',
  'deposit.waiting_for_intent': 'A deposit waits until its user has an intent',
  'deposit.orphaned': 'The chain dropped the block of a transfer',
  'deposit.returned': 'A bridge sent the money of an execution back',
}

/** What happened, in one line, by the type of its event. */
function summaryOf(type: string): string {
  if (type === movedType) return 'An execution moved from one state to the next; only for who asks for it by name'
  if (type === supersededType) return 'Another execution has the money of this one now; `next` names it'
  if (type in depositNews) return depositNews[type as keyof typeof depositNews]
  return `An execution reached ${type.slice(type.indexOf('.') + 1).toUpperCase()}`
}

const modelOf = (type: string): string => {
  if (type === movedType) return 'MoveEvent'
  return type.startsWith('deposit.') ? 'DepositEvent' : 'ExecutionEvent'
}

/** What each of them carries, by its model. */
export const eventBodies = (): Json =>
  Object.fromEntries(
    [...new Set(eventTypes.map(modelOf))].map((model) => [
      model,
      { required: true, content: { 'application/json': { schema: refTo(model) } } },
    ]),
  )

/** Beside the operations, whose tags become the classes of generated clients. */
export const webhookTag = {
  name: 'Webhooks',
  description:
    'The events, each by its own name. None is posted to an address of yours yet: read them from the list or the stream.',
}

/** The events, as the document lists them. Each is the body that `GET /api/events` carries (extensions 8.4). */
export const webhooksOf = (): Json =>
  Object.fromEntries(
    eventTypes.map((type) => {
      const operation = {
        operationId: `on ${type}`.replace(/[ ._](\w)/g, (_, letter: string) => letter.toUpperCase()),
        tags: [webhookTag.name],
        summary: summaryOf(type),
        description: `One \`${type}\`, as [the list](#/Events/listEvents) and [the stream](#/Events/streamEvents) tell it.`,
        security: [],
        requestBody: { $ref: `#/components/requestBodies/${modelOf(type)}` },
        responses: { '2XX': { description: 'It was taken.' } },
      }
      return [type, { post: operation }]
    }),
  )
