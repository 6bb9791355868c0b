import { disabledType } from '../../domain/event-types'
import { type } from '../../domain/schema'
import { eventId } from '../events/event-id'
import { WebhookEndpointView } from '../webhooks/views'
import { described, Text, Time } from './scalar'

const at = '2026-11-21T10:00:30.911Z'

/** An endpoint has no life that is counted, so `seq` is null (extensions 6.1). */
export const EndpointEventView = type({
  id: Text('As of any event', eventId(Date.parse(at), 'whe_9fT2aQ', 0)),
  type: described(type.enumerated(disabledType), 'What happened', disabledType),
  timestamp: Time('When it happened', at),
  seq: described(type('null'), 'An endpoint counts nothing', null),
  transition: described(type('null'), 'It has no states', null),
  data: described(WebhookEndpointView, 'The endpoint as it was then'),
})
export type EndpointEventView = typeof EndpointEventView.infer
