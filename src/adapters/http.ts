import { type ErrorCode, RoutingError } from '../domain/error'
import { jsonOf } from '../domain/json'
import { Unreadable } from '../domain/unavailable'

export type JsonAnswer = { status: number; body: unknown }

/** A request. With a `body`, it is a POST of JSON. */
type Request = {
  headers?: Record<string, string>
  signal: AbortSignal
  bytesMax?: number
  body?: object
  /** Called with the headers of every response. */
  onHeaders?: ((status: number, headers: Headers, tookMs: number) => void) | undefined
  /** Replaces the global `fetch`. */
  fetcher?: Fetcher | undefined
}

export type Fetcher = (url: string, init: RequestInit) => Promise<Response>

const bytesMaxDefault = 2_000_000
const jsonContent = { 'content-type': 'application/json' }

/**
 * Fetches JSON and turns every failure into a coded error. The adapter interprets the HTTP status. The body is null if
 * the status is not a success and the body is not JSON. Never retries. Never follows a redirect, which would send our
 * headers to another URL.
 *
 * @throws {RoutingError} PROVIDER_UNREACHABLE, PROVIDER_TIMEOUT or PROVIDER_MALFORMED. The cause is the original error,
 * which can contain the URL and parts of the body.
 */
export async function fetchJson(
  url: string,
  { headers = {}, signal, bytesMax = bytesMaxDefault, body, onHeaders, fetcher = fetch }: Request,
): Promise<JsonAnswer> {
  const startedAt = performance.now()
  try {
    const sent = body && { method: 'POST', body: JSON.stringify(body), headers: { ...headers, ...jsonContent } }
    const response = await fetcher(url, { headers, signal, redirect: 'manual', ...sent })
    onHeaders?.(response.status, response.headers, performance.now() - startedAt)
    const text = await readText(response, bytesMax)
    return { status: response.status, body: response.ok ? JSON.parse(text) : (jsonOf(text) ?? null) }
  } catch (cause) {
    throw new RoutingError(codeOf(cause), { cause })
  }
}

/**
 * Returns the error for an HTTP status that is not a success and has no special meaning for the adapter. A reason that
 * no table lists does not count against the request: every request might fail with it until this service is updated.
 *
 * @param code The provider's own code for the reason, if the response has one.
 */
export function refusalOf({ status, body }: JsonAnswer, code?: string | number): RoutingError {
  const cause = { status, body }
  const mapped = codeOfStatus(status)
  if (mapped !== null) return new RoutingError(mapped, { cause })
  const named = isPlainCode(code) ? ` and the code ${code}` : ''
  return new Unreadable(`It returned HTTP ${status}${named}, which this release does not recognise.`, { cause })
}

/** Whether the body is a JSON object, unlike the page of a proxy or of a path that is gone. */
export const hasObject = ({ body }: JsonAnswer): boolean => typeof body === 'object' && body !== null

/** Returns the error for a state of a transfer that the adapter's table does not list. The money stays in flight. */
export const unknownState = (state: string): Unreadable =>
  new Unreadable(
    `It reports ${isPlainCode(state.toUpperCase()) ? `the state ${state}` : 'a state'} that this release does not recognise.`,
  )

/** Operators see the code, so free text of the provider is left out. */
const isPlainCode = (code: string | number | undefined): boolean => /^[A-Z0-9_]{1,60}$/.test(String(code ?? ''))

/** Returns the error code that the status alone implies, or null if the reason is needed. */
const codeOfStatus = (status: number): ErrorCode | null => {
  if (status === 429) return 'PROVIDER_RATE_LIMITED'
  if (status === 408 || status === 504) return 'PROVIDER_TIMEOUT'
  if (status === 401 || status === 403) return 'PROVIDER_UNAUTHORIZED'
  return status >= 500 ? 'PROVIDER_FAILED' : null
}

const codeOf = (cause: unknown): ErrorCode => {
  if (cause instanceof SyntaxError || cause instanceof BodyTooLarge) return 'PROVIDER_MALFORMED'
  return isAbort(cause) ? 'PROVIDER_TIMEOUT' : 'PROVIDER_UNREACHABLE'
}

export const isAbort = (cause: unknown): boolean =>
  cause instanceof Error && (cause.name === 'TimeoutError' || cause.name === 'AbortError')

class BodyTooLarge extends Error {
  override name = 'BodyTooLarge'
}

/** Reads a body as text. Stops and throws once it exceeds `bytesMax`. */
export async function readText(response: Response, bytesMax: number): Promise<string> {
  if (!response.body) return ''
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw new BodyTooLarge(`More than ${bytesMax} bytes`)
    parts.push(decoder.decode(chunk, { stream: true }))
  }
  return parts.join('') + decoder.decode()
}
