import { type depositEventTypes, eventTypes, movedType, supersededType } from './event-types'
import { exampleOf, type Json, schemaOf } from './openapi-schema'
import { DepositView } from './views/deposit'
import { EventView, MoveView } from './views/event'
import { FullExecutionView } from './views/execution-full'

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

function viewOf(type: string): unknown {
  if (type === movedType) return MoveView
  return type.startsWith('deposit.') ? DepositView : FullExecutionView
}

/** The events, as the document lists them. Each is the body that `GET /api/events` carries. Source: beyond, 8.4. */
export const webhooksOf = (): Json =>
  Object.fromEntries(
    eventTypes.map((type) => {
      const data = schemaOf(viewOf(type))
      const event = exampleOf(schemaOf(EventView, 'Event')) as Json
      const schema = {
        allOf: [
          schemaOf(EventView),
          {
            type: 'object',
            description: summaryOf(type),
            properties: {
              type: { const: type, description: 'What happened', examples: [type] },
              data: { ...data, description: 'What it happened to, as it was then', examples: [exampleOf(data)] },
            },
          },
        ],
      }
      const example = { ...event, type, data: exampleOf(data) }
      const operation = {
        operationId: `on ${type}`.replace(/[ ._](\w)/g, (_, letter: string) => letter.toUpperCase()),
        tags: ['Events'],
        summary: summaryOf(type),
        description:
          `One \`${type}\`. It is read from [\`GET /api/events\`](#/Events/listEvents), as JSON or as a stream; ` +
          'the body is the same however it is told.',
        security: [],
        requestBody: { required: true, content: { 'application/json': { schema, example } } },
        responses: { '2XX': { description: 'It was taken.' }, '4XX': { description: 'It was not: it is told again.' } },
      }
      return [type, { post: operation }]
    }),
  )
