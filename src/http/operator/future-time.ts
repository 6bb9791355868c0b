import { timeOf } from '../../domain/calendar'
import { Refusal } from '../request/failure'
import { described, requestTime } from '../views/scalar'

/** A field of a body that holds a time or null. */
export const FutureTime = (description: string) =>
  described(
    requestTime
      .describe('an ISO 8601 time or null')
      .narrow((text, context) => timeOf(text) !== null || context.mustBe('an ISO 8601 time or null'))
      .or('null')
      .describe('an ISO 8601 time or null'),
    description,
    '2026-12-01T00:00:00.000Z',
  )

/** Reads this field, in milliseconds since 1970, and refuses a time that is not in the future. */
export function futureTimeOf(field: string, text: string | null | undefined, now: number): number | null {
  if (text === null || text === undefined) return null
  const at = timeOf(text)
  if (at === null || at <= now)
    throw new Refusal('VALIDATION_FAILED', { message: `${field} must be a time in the future` })
  return at
}
