import { depositEventTypes, eventTypes, movedType, testType } from '../../domain/event-types'
import { eventId } from '../events/event-id'
import { exampleOfModel } from '../openapi/openapi-example'
import { isoTime } from '../views/scalar'

export const sampleTypes: readonly string[] = [testType, ...eventTypes]

/** A sample of an event. It has no place in the life of anything, so its `seq` is null. */
export function sampleEvent(type: string, of: string, now: number): { id: string; body: string } {
  const head = { id: eventId(now, of, 0), type, timestamp: isoTime(now), seq: null }
  if (type === testType) return { id: head.id, body: JSON.stringify({ ...head, data: { message: 'It works.' } }) }
  const model = (depositEventTypes as readonly string[]).includes(type)
    ? 'DepositEvent'
    : type === movedType
      ? 'MoveEvent'
      : 'ExecutionEvent'
  const { transition, data } = exampleOfModel(model) as { transition: object; data: object }
  const status = type.startsWith('execution.') ? type.slice('execution.'.length).toUpperCase() : null
  const isStatus = model === 'ExecutionEvent' && status !== 'SUPERSEDED'
  return { id: head.id, body: JSON.stringify({ ...head, transition, data: { ...data, ...(isStatus && { status }) } }) }
}
