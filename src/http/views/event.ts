import { depositEventTypes, executionEventTypes, movedType, supersededType } from '../../domain/event-types'
import { oneOfViews, view } from '../../domain/schema'
import { eventId } from '../../events/event-id'
import { DepositView } from './deposit'
import { balanceVerified, confirmedDeposit, movedToPricing, submitted } from './event-examples'
import { example } from './examples'
import { FullExecutionView } from './execution-full'
import { TransitionView } from './history'
import {
  ChainEventView,
  EndpointEventView,
  IntentEventView,
  IntentHeldEventView,
  KeyEventView,
  QuotaEventView,
  type RareEventView,
} from './rare-event'
import { Count, described, StatusOrNull, Text, TextOrNull, Time } from './scalar'

export const MoveView = view({
  id: Text('The execution', example.depositId),
  userId: Text('Your stable identifier of the user', 'user-1'),
  event: Text('The event', 'route found'),
  from: TextOrNull('State before', 'finding route'),
  to: Text('State after', 'pricing fees'),
  status: StatusOrNull('Status after it', null),
})

type Entry = { seq: number; timestamp: string; transition?: object }

const headOf = ({ seq, timestamp, transition }: Entry) => ({
  id: Text('Always the same for this event', eventId(Date.parse(timestamp), example.depositId, seq)),
  timestamp: Time('When it happened', timestamp),
  seq: Count('Number of the history entry: keep the highest per `data.id`', seq),
  transition: described(
    TransitionView.or('null'),
    'The change of state, see `GET /api/lifecycle`; null while a deposit is not confirmed',
    ...(transition ? [transition] : []),
  ),
})

export const DepositEventView = view({
  ...headOf(balanceVerified),
  type: described(view.enumerated(...depositEventTypes), 'The event', 'deposit.confirmed'),
  data: described(DepositView, 'The deposit at that time', confirmedDeposit),
})
export const ExecutionEventView = view({
  ...headOf(submitted),
  type: described(view.enumerated(...executionEventTypes, supersededType), 'The event', 'execution.running'),
  data: described(FullExecutionView, 'The execution at that time'),
})
export const MoveEventView = view({
  ...headOf(movedToPricing),
  type: described(view.enumerated(movedType), 'The event', movedType),
  data: described(MoveView, 'The move from one state to the next'),
})

/** One event, the same in a list and in a stream (extensions 6.1). */
export const EventView = oneOfViews('An event. Its `type` determines the form of `data`', [
  ChainEventView,
  DepositEventView,
  ExecutionEventView,
  IntentHeldEventView,
  KeyEventView,
  EndpointEventView,
  IntentEventView,
  MoveEventView,
  QuotaEventView,
])
export type MovingView = {
  id: string
  type: string
  timestamp: string
  seq: number
  transition: typeof TransitionView.infer | null
  data: DepositView | FullExecutionView | typeof MoveView.infer
}
export type EventView = MovingView | RareEventView
