import { type ErrorCode, RoutingError } from '../../domain/error'
import { lifiCodes } from '../../protocols/lifi/lifi-answers'
import { type JsonAnswer, refusalOf } from '../http'

/** LI.FI's error codes. Only a refusal that this table lists can end a deposit. */
const codes: Record<number, ErrorCode> = {
  1001: 'PROVIDER_FAILED', // the transaction could not be built
  1005: 'PROVIDER_RATE_LIMITED',
  1006: 'PROVIDER_FAILED',
  1007: 'PROVIDER_FAILED', // slippage
  1008: 'PROVIDER_FAILED', // a third party failed
  1009: 'PROVIDER_TIMEOUT',
  1011: 'PROVIDER_REFUSED', // the request is invalid
  1012: 'PROVIDER_FAILED', // a node failed
}

/** Codes of a tool that certainly has no route. Any other code may be transient, documented or not. */
const finalTools = [
  'NO_POSSIBLE_ROUTE',
  'INSUFFICIENT_LIQUIDITY',
  'AMOUNT_TOO_LOW',
  'AMOUNT_TOO_HIGH',
  'FEES_HIGHER_THAN_AMOUNT',
  'FEES_HGHER_THAN_AMOUNT', // both spellings are in use
  'DIFFERENT_RECIPIENT_NOT_SUPPORTED',
  'CANNOT_GUARANTEE_MIN_AMOUNT',
]

/**
 * @returns Null if there is no route and every tool failed with one of `finalTools`.
 * @throws {RoutingError} A PROVIDER_ code, in all other cases.
 */
export function lifiNoRoute(answer: JsonAnswer): null {
  const code = lifiCodeIn(answer)
  if (answer.status === 404 && code === lifiCodes.NOT_FOUND) return null
  if (answer.status === 404 && code === lifiCodes.NO_QUOTE) {
    const { errors } = answer.body as { errors?: unknown }
    if (codesWithin(errors).every((tool) => finalTools.includes(tool))) return null
    throw new RoutingError('PROVIDER_FAILED', { cause: answer })
  }
  if (answer.status === 409 || answer.status === 424) throw new RoutingError('PROVIDER_FAILED', { cause: answer })
  const listed = typeof code === 'number' ? codes[code] : undefined
  const known = listed === 'PROVIDER_REFUSED' && answer.status >= 500 ? undefined : listed
  throw known
    ? new RoutingError(known, { cause: answer })
    : refusalOf(answer, typeof code === 'number' ? code : undefined)
}

export const lifiCodeIn = ({ body }: JsonAnswer): unknown => (body as { code?: unknown } | null)?.code

/** LI.FI documents two shapes: a list of tool errors, and lists of them by path. */
function codesWithin(errors: unknown, depth = 0): string[] {
  if (typeof errors !== 'object' || errors === null || depth > 6) return []
  const { code } = errors as { code?: unknown }
  const own = typeof code === 'string' ? [code] : []
  return [...own, ...Object.values(errors).flatMap((inner) => codesWithin(inner, depth + 1))]
}
