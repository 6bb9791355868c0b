import type { ErrorCode } from './error-codes.js'

/** The body of every error of the API. */
export type ErrorBody = { statusCode: number; message: string; error: string; code?: string }

/** The base of all errors of this client. */
export abstract class SwitchyardError extends Error {
  /** Whether the same request can succeed later. Repeating it with the same `Idempotency-Key` is safe. */
  abstract readonly isTransient: boolean
}

/** The service refused the request, or could not respond to it. */
export class ApiError extends SwitchyardError {
  override readonly name = 'ApiError'
  readonly statusCode: number
  /** The header `x-error-code`. More values may be added. Codes such as `HTTP_502` come from a proxy on the way. */
  readonly code: ErrorCode | (string & {})
  /** Quote it when you ask for support. */
  readonly requestId: string | null
  /** The minimum number of seconds before the next attempt. */
  readonly retryAfterSeconds: number | null
  /** For a mutation, the key to repeat the request with. */
  readonly idempotencyKey: string | null
  readonly isTransient: boolean

  constructor(response: Response, body: Partial<ErrorBody> | null, idempotencyKey: string | null = null) {
    super(typeof body?.message === 'string' ? body.message : `The answer was ${response.status}`)
    this.statusCode = response.status
    this.code = response.headers.get('x-error-code') ?? `HTTP_${response.status}`
    this.requestId = response.headers.get('x-request-id')
    this.retryAfterSeconds = secondsIn(response.headers.get('retry-after'))
    this.idempotencyKey = idempotencyKey
    this.isTransient = isTransient(this.statusCode, this.code, this.retryAfterSeconds)
  }
}

/** No response came. The request may or may not have arrived. */
export class ConnectionError extends SwitchyardError {
  override readonly name = 'ConnectionError'
  readonly isTransient = true
  /** For a mutation, the key to repeat the request with. */
  readonly idempotencyKey: string | null

  constructor(cause: unknown, idempotencyKey: string | null = null) {
    super('The service did not respond', { cause })
    this.idempotencyKey = idempotencyKey
  }
}

/** Events between two reads are lost: fetch what you show again, for example with `listExecutions`. */
export class EventsLostError extends SwitchyardError {
  override readonly name = 'EventsLostError'
  readonly isTransient = false

  constructor(readonly reason: string) {
    super('Events were lost because the service no longer stores them: fetch the executions that you follow again')
  }
}

const passing = [408, 429, 502, 503, 504]

function isTransient(statusCode: number, code: string, retryAfterSeconds: number | null): boolean {
  if (code === 'IDEMPOTENCY_KEY_IN_FLIGHT') return true
  if (code === 'QUOTA_EXCEEDED') return retryAfterSeconds !== null
  return passing.includes(statusCode)
}

function secondsIn(retryAfter: string | null): number | null {
  if (retryAfter === null) return null
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter)
  const at = Date.parse(retryAfter)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1_000))
}
