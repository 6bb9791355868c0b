import { type } from '../../domain/schema'
import { SeenVersion } from '../request/seen'
import { described } from '../views/scalar'

/** The reason for an action, shown to the integrator and in the audit log (extensions 9). */
export const Reason = described(
  type(/^[^\p{Cc}\p{Cs}]{3,500}$/u)
    .describe('3 to 500 characters, none a control character')
    .narrow((text, context) => text.trim().length >= 3 || context.mustBe('3 to 500 characters that say something')),
  'The reason, visible to the integrator',
  'Integrator moved the target to USDC on arbitrum',
)

export const ReasonBody = type({ reason: Reason })

/** The state of an execution that an action names. */
export const SeenSeq = described(
  type('number.integer >= 1'),
  'The `seq` that you saw, of the execution or of its deposit before a re-drive. If changed: 409 CHANGED_MEANWHILE',
  4,
)
/** For a DELETE of an object that another operator can add again. */
export const ReasonQuery = type({ reason: Reason, 'version?': SeenVersion })
