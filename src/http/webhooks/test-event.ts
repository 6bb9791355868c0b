import { testType } from '../../domain/event-types'
import { view } from '../../domain/schema'
import { example } from '../views/examples'
import { CountOrNull, described, Text, Time } from '../views/scalar'

/** The sample that an endpoint gets at a test, where no other type is asked for. No list or stream has it. */
export const TestEventView = view({
  id: Text('As of any event', example.eventId),
  type: described(view.enumerated(testType), 'It was asked for', testType),
  timestamp: Time('When it was asked for', '2026-11-21T10:01:02.420Z'),
  seq: CountOrNull('Null, as in a sample of any type: nothing happened', null),
  data: described(view({ message: Text('For people', 'It works.') }), 'Nothing more'),
})
