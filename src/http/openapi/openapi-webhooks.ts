import {
  type chainEventTypes,
  changeHeldType,
  type depositEventTypes,
  disabledType,
  eventTypes,
  type intentEventTypes,
  keyExpiringType,
  movedType,
  quotaWarningType,
  supersededType,
} from '../../domain/event-types'
import type { Json } from './json'
import { refTo } from './openapi-schema'

type Described =
  | (typeof depositEventTypes)[number]
  | (typeof intentEventTypes)[number]
  | typeof changeHeldType
  | (typeof chainEventTypes)[number]
  | typeof quotaWarningType
  | typeof keyExpiringType
const descriptions: Record<Described, string> = {
  'deposit.detected': 'A deposit was seen',
  'deposit.confirmed': 'A deposit’s balance was verified at the required depth',
  'deposit.waiting_for_intent': 'A deposit waits until its user has an intent',
  'deposit.queued': 'A deposit waits for an earlier one of its token to leave the account',
  'deposit.paused': 'A deposit waits until operators end a pause',
  'deposit.orphaned': 'The chain dropped the block of a transfer',
  'deposit.returned': 'A bridge refunded the money of an execution',
  'intent.created': 'A user got a deposit intent',
  'intent.updated': 'The deposits of a user have a new destination: alert on it, because it redirects money',
  'intent.change_held': 'A new destination for the deposits of a user was requested and is pending: alert on it, too',
  'chain.paused': 'Nothing new is routed from or to a chain',
  'chain.resumed': 'A chain is no longer paused',
  'api_key.expiring': 'An API key expires within seven days',
  'quota.warning': '80 % of the month’s quota is used, or all of it',
}

/** Returns a one-line summary of a type of event. */
function summaryOf(type: string): string {
  if (type === movedType) return 'An execution moved from one state to the next; sent only if you request it by name'
  if (type === supersededType) return 'Another execution has taken over the money of this one; `next` names it'
  if (type === disabledType) return 'The service disabled an endpoint: it failed for five days, or answered 410'
  if (type in descriptions) return descriptions[type as Described]
  return `An execution reached ${type.slice(type.indexOf('.') + 1).toUpperCase()}`
}

const modelOf = (type: string): string => {
  if (type === movedType) return 'MoveEvent'
  if (type === disabledType) return 'WebhookEndpointEvent'
  if (type === keyExpiringType) return 'ApiKeyEvent'
  if (type === quotaWarningType) return 'QuotaEvent'
  if (type === changeHeldType) return 'IntentHeldEvent'
  const family = type.slice(0, type.indexOf('.'))
  return `${family[0]!.toUpperCase()}${family.slice(1)}Event`
}

/** Returns the bodies of the webhooks, by the model of the event. */
export const eventBodies = (): Json =>
  Object.fromEntries(
    [...new Set(eventTypes.map(modelOf))].map((model) => [
      model,
      { required: true, content: { 'application/json': { schema: refTo(model) } } },
    ]),
  )

/** The webhooks have their own tag, because generated clients make a class of each tag. */
export const webhookTag = {
  name: 'Webhooks',
  description: 'Requests to [your endpoints](#/Webhook endpoints/createWebhookEndpoint), if you have any.',
}

/**
 * Returns the webhooks of the document: one for each type of event, with the body that `GET /api/events` returns
 * (extensions 8.4). The test event is left out: no path names its model, and the generator for Go omits such models.
 */
export const webhooksOf = (): Json =>
  Object.fromEntries(
    eventTypes.map((type) => {
      const operation = {
        operationId: `on ${type}`.replace(/[ ._](\w)/g, (_, letter: string) => letter.toUpperCase()),
        tags: [webhookTag.name],
        summary: summaryOf(type),
        security: [],
        requestBody: { $ref: `#/components/requestBodies/${modelOf(type)}` },
        responses: { '2XX': { description: 'Accepted' } },
      }
      return [type, { post: operation }]
    }),
  )
