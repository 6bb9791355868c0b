import { eventTypes } from '../../domain/event-types'
import { view } from '../../domain/schema'
import { eventId } from '../../events/event-id'
import { submitted } from './event-examples'
import { example } from './examples'
import { described, Text } from './scalar'

const otherType = view('string').configure({ not: { enum: eventTypes } } as object, 'self')

/** This version sends no such event. A client that is generated from it reads types of later versions as this model. */
export const OtherEventView = view({
  id: Text('As for any event', eventId(Date.parse(submitted.timestamp), example.depositId, submitted.seq)),
  type: described(otherType, 'A type that is not in this document', 'execution.later'),
  data: described(view({ id: Text('The object of the event', example.depositId) }), 'Depends on the type'),
})
