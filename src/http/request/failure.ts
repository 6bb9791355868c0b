import { Elysia, NotFoundError, ParseError, ValidationError } from 'elysia'
import { ChainsUnverified, StoreUnavailable } from '../../domain/unavailable'
import { nameRequest, requestIdOf } from './request-id'
import { type Issue, sentenceOf } from './sentence'

const reasons = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const
type FailureStatus = keyof typeof reasons

/** Every refusal: status and message by `x-error-code` (extensions 1.5). */
export const refusals = {
  VALIDATION_FAILED: [400, 'Validation failed'],
  TARGET_TOKEN_NOT_FOUND: [400, 'There is no contract at the target token address'],
  TARGET_TOKEN_OF_OTHER_CHAIN: [400, 'The target token address belongs to a token on another chain'],
  TARGET_TOKEN_BLACKLISTED: [400, 'The target token is on the security list'],
  TARGET_ADDRESS_BLACKLISTED: [400, 'The target address is on the security list'],
  TARGET_ADDRESS_NOT_PAYABLE: [400, 'Tokens sent to the target address would be lost: use another address'],
  TARGET_ADDRESS_BLOCKED: [400, 'The target token’s own blocklist contains the target address'],
  TARGET_ADDRESS_REFUSES: [400, 'The target address does not accept the target token'],
  REFUND_ADDRESS_BLACKLISTED: [400, 'The refund address is on the security list'],
  REFUND_ADDRESS_NOT_PAYABLE: [400, 'Tokens sent to the refund address would be lost: use another address'],
  REFUND_ADDRESS_BLOCKED: [400, 'USDC’s blocklist contains the refund address'],
  MALFORMED_BODY: [400, 'Malformed JSON body'],
  AMBIGUOUS_REQUEST: [400, 'This request can be read in two ways: send one Host header and a plain path'],
  UNKNOWN_PARAMETER: [400, 'This endpoint has no such parameter'],
  INVALID_CURSOR: [400, 'cursor is not valid for this list'],
  INVALID_IDEMPOTENCY_KEY: [400, 'Idempotency-Key must be 1 to 255 printable ASCII characters'],
  MISSING_API_KEY: [401, 'Missing API key'],
  INVALID_API_KEY: [401, 'Invalid API key'],
  API_KEY_EXPIRED: [401, 'This API key has expired: create a new one'],
  INVALID_SIGNATURE: [401, 'Invalid signature'],
  INVALID_TOKEN: [401, 'Invalid token'],
  CODE_USED: [401, 'This code was already used: wait for the next one'],
  NOT_SIGNED_IN: [401, 'Not signed in'],
  INSUFFICIENT_PERMISSIONS: [403, 'Insufficient permissions'],
  ADDRESS_NOT_ALLOWED: [403, 'This API key may not be used from this network address'],
  SECOND_STEP_NEEDED: [403, 'Prove your second step again: this action needs a proof from the last 15 minutes'],
  SIGN_IN_NEEDED: [403, 'Sign out and in again first: this action needs a sign-in from the last 15 minutes'],
  SECOND_STEP_DEMANDED: [403, 'This organization requires a second step: set one up first'],
  SSO_DEMANDED: [403, 'This organization requires sign-in through its own provider'],
  SIGNED_IN_BY_SSO: [403, 'Sign in with your password: this session covers one organization only'],
  BY_INVITATION: [
    403,
    'Registration is by invitation: open your invitation link, or ask the operator of this installation',
  ],
  NO_MAIL_SERVER: [403, 'This installation has no mail server: ask its operator for a new password'],
  NOT_IN_PLAN: [403, 'The plan of this organization does not include this'],
  FOREIGN_ORIGIN: [403, 'This request did not come from the dashboard'],
  ROUTE_NOT_FOUND: [404, 'Route not found'],
  METHOD_NOT_ALLOWED: [405, 'This path does not accept this method'],
  NO_ACCOUNT: [404, 'No account for this user'],
  NO_DEPOSIT_INTENT: [404, 'No deposit intent for this user'],
  DEPOSIT_NOT_FOUND: [404, 'No deposit with this id'],
  EXECUTION_NOT_FOUND: [404, 'No execution with this id'],
  ENDPOINT_NOT_FOUND: [404, 'No webhook endpoint with this id'],
  NO_RECEIPTS: [404, 'This service signs no receipts'],
  NO_SSO: [404, 'No organization has single sign-on for the domain of this address'],
  NOT_FOUND: [404, 'Not found'],
  IDEMPOTENCY_KEY_REUSED: [409, 'Idempotency-Key was already used for another request'],
  IDEMPOTENCY_KEY_IN_FLIGHT: [409, 'A request with this Idempotency-Key is still running'],
  NOT_RETRYABLE: [409, 'Only an execution in FAILED, or one whose burned money waits to be minted, can be retried'],
  NOTHING_TO_APPROVE: [409, 'This execution does not wait for an approval'],
  ALREADY_ENDED: [409, 'This execution has already ended'],
  EXECUTION_NOT_ENDED: [409, 'Only an execution that has ended has a receipt'],
  NOT_TERMINAL: [409, 'Only an execution that has ended can be re-driven'],
  NO_FUNDS_TO_REDRIVE: [409, 'No money of this deposit is left in the account'],
  FUNDS_NOT_IN_ACCOUNT: [409, 'The money is not in the account'],
  TRANSACTION_IN_FLIGHT: [409, 'A signed transaction of this execution may still be mined'],
  REDRIVE_IN_PROGRESS: [409, 'This deposit is already being re-driven'],
  TOKEN_STILL_LISTED: [409, 'The token is still on the security list'],
  NO_REFUND_ADDRESS: [409, 'The intent names no refund address'],
  CHANGE_HELD: [
    409,
    'This change is stored but not active: deposits go to the current recipient until it takes effect',
  ],
  LIMIT_REACHED: [409, 'The limit is reached: delete an entry first'],
  DOMAIN_NOT_PROVED: [409, 'The name server of this domain does not return the displayed TXT record'],
  DOMAIN_TAKEN: [409, 'Another organization holds this domain: delete its TXT record first'],
  LAST_OWNER: [409, 'An organization needs an owner: make another member an owner first'],
  ALREADY_MEMBER: [409, 'This person is already a member'],
  CHANGED_MEANWHILE: [409, 'Another request changed this: reload it and try again'],
  MONEY_OPEN: [409, 'Deposits of this organization are still open'],
  INVITATION_OVER: [410, 'This invitation was used or withdrawn, or it has expired: ask for a new one'],
  EVENTS_EXPIRED: [410, 'Events before this one are no longer kept'],
  PAYLOAD_TOO_LARGE: [413, 'Request body too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Content-Type must be application/json'],
  TOKEN_BLACKLISTED: [422, 'The token is on the security list.'],
  FAILED_UNROUTABLE_MAIN: [422, 'No provider has a route for this token to the target.'],
  FAILED_INVALID_INPUT: [422, 'The deposit’s amount is not valid.'],
  FAILED_INSUFFICIENT_AFTER_FEES: [422, 'Nothing is left to route after fees.'],
  RATE_LIMITED: [429, 'Quota exceeded'],
  QUOTA_EXCEEDED: [429, 'Quota exceeded'],
  TOO_MANY_STREAMS: [429, 'Quota exceeded'],
  INTERNAL_ERROR: [500, 'Internal server error'],
  PROVIDER_UNAVAILABLE: [503, 'The routing providers do not respond'],
  ROUTING_PAUSED: [503, 'Routing is paused: a deposit would wait until the pause ends'],
  STORE_UNAVAILABLE: [503, 'Temporarily unavailable'],
  RECEIPT_KEY_UNAVAILABLE: [503, 'Receipts cannot be signed at the moment'],
  CHAINS_UNVERIFIED: [503, 'No chain can be verified at the moment'],
  IDENTITY_PROVIDER_UNAVAILABLE: [503, 'The identity provider or a name server does not respond'],
  SHUTTING_DOWN: [503, 'Temporarily unavailable'],
} as const satisfies Record<string, readonly [FailureStatus, string]>
export type RefusalCode = keyof typeof refusals

/**
 * Returns the value of `x-error-code`. TOKEN_BLACKLISTED stands for two refusals, which differ in status and message.
 */
export const publicCode = (code: RefusalCode): RefusalCode =>
  code === 'TOKEN_STILL_LISTED' ? 'TOKEN_BLACKLISTED' : code

type Extra = {
  message?: string
  headers?: Record<string, string>
  body?: object
  cause?: unknown
}

/** The only error that the HTTP code throws on purpose. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly headers: Record<string, string>
  readonly body: object | undefined
  readonly statusCode: FailureStatus

  constructor(
    readonly code: RefusalCode,
    { message, headers = {}, body, cause }: Extra = {},
  ) {
    super(message ?? refusals[code][1], { cause })
    this.headers = headers
    this.body = body
    this.statusCode = refusals[code][0]
  }
}

export const failureBody = (statusCode: FailureStatus, message: string) => ({
  statusCode,
  message,
  error: reasons[statusCode],
})

/** Returns the response to a request that is refused before Elysia sees it. */
export function refusedOutside({ code, statusCode, message, headers }: Refusal, request: Request): Response {
  const own = { 'x-request-id': requestIdOf(request), 'x-error-code': publicCode(code), 'cache-control': 'no-store' }
  const init = { status: statusCode, headers: { ...own, 'x-content-type-options': 'nosniff', ...headers } }
  return Response.json(failureBody(statusCode, message), init)
}

/** Reports an error whose response was 500, because it is unexpected, or 503, because a system is unavailable. */
export type NoteBug = (error: unknown, where: { requestId: string; route: string; code?: RefusalCode }) => void

/** The methods that a path accepts. */
export type MethodsAt = (path: string) => string[]

/** Turns any thrown value into the API's error body (interface 7.1). */
export const failures = (noteBug: NoteBug, methodsAt: MethodsAt = () => []) =>
  new Elysia({ name: 'failures' }).onError({ as: 'global' }, ({ error, code, request, set, route }) => {
    const thrown = refusalOf(error, code)
    // A malformed request can have a URL that cannot be parsed.
    const path = thrown.code === 'ROUTE_NOT_FOUND' ? URL.parse(request.url)?.pathname : undefined
    const allowed = path === undefined ? [] : methodsAt(path)
    const allow = allowed.join(', ')
    const refusal = allowed.length > 0 ? new Refusal('METHOD_NOT_ALLOWED', { headers: { allow } }) : thrown
    if (refusal.statusCode >= 500)
      noteBug(refusal.cause ?? error, { requestId: nameRequest(request, set), route: route ?? '', code: refusal.code })
    const { statusCode, message, headers, body: more } = refusal
    set.status = statusCode
    set.headers['x-error-code'] = publicCode(refusal.code)
    set.headers['cache-control'] = 'no-store'
    if (statusCode === 503) set.headers['retry-after'] = '1'
    Object.assign(set.headers, headers)
    return { ...failureBody(statusCode, message), ...more }
  })

function refusalOf(error: unknown, code: unknown): Refusal {
  if (error instanceof Refusal) return error
  // Elysia wraps every error thrown by a hook during parsing in a ParseError. Only unreadable JSON is a malformed body.
  if (error instanceof ParseError)
    return isUnread(error.cause) ? new Refusal('MALFORMED_BODY') : refusalOf(error.cause, undefined)
  if (error instanceof ValidationError)
    return error.type === 'response'
      ? new Refusal('INTERNAL_ERROR', { cause: error })
      : new Refusal('VALIDATION_FAILED', { message: sentenceOf(error.valueError as Issue | undefined, error.type) })
  if (error instanceof NotFoundError || code === 'NOT_FOUND') return new Refusal('ROUTE_NOT_FOUND')
  if (error instanceof ChainsUnverified) return new Refusal('CHAINS_UNVERIFIED', { cause: error })
  if (error instanceof StoreUnavailable) return new Refusal('STORE_UNAVAILABLE', { cause: error })
  return new Refusal('INTERNAL_ERROR', { cause: error })
}

/** Whether the body was not JSON. Elysia's own reader then throws a SyntaxError, or gives no cause at all. */
const isUnread = (cause: unknown): boolean => cause === undefined || cause instanceof SyntaxError
