import { eventTypes } from '../../domain/event-types'
import { view } from '../../domain/schema'
import { eventId } from '../events/event-id'
import { submitted } from './event-examples'
import { example } from './examples'
import { described, Text } from './scalar'

const otherType = view('string').configure({ not: { enum: eventTypes } } as object, 'self')

/** This version sends no such event. A client that is generated from it reads types of later versions as this model. */
export const OtherEventView = view({
  id: Text('As of any event', eventId(Date.parse(submitted.timestamp), example.depositId, submitted.seq)),
  type: described(otherType, 'One that this document does not know', 'execution.later'),
  data: described(view({ id: Text('What it happened to', example.depositId) }), 'As its type has it'),
})
