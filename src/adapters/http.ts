import { type ErrorCode, RoutingError } from '../domain/error'
import { Unreadable } from '../domain/unavailable'

export type JsonAnswer = { status: number; body: unknown }

/** A request; with a `body` it is a POST of JSON. */
type Request = {
  headers?: Record<string, string>
  signal: AbortSignal
  bytesMax?: number
  body?: object
  /** Called with the headers of every answer. */
  onHeaders?: ((status: number, headers: Headers, tookMs: number) => void) | undefined
  /** Sends the request instead of the global `fetch`. */
  fetcher?: Fetcher | undefined
}

export type Fetcher = (url: string, init: RequestInit) => Promise<Response>

const bytesMaxDefault = 2_000_000
const jsonContent = { 'content-type': 'application/json' }

/**
 * Fetches JSON and turns every failure into a coded error. What an HTTP status means is up to the adapter; the body may
 * be null when the status is not a success. Never retries, and never follows a redirect with our headers.
 *
 * @throws {RoutingError} PROVIDER_UNREACHABLE, PROVIDER_TIMEOUT or PROVIDER_MALFORMED. The cause has the URL and the
 * text.
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
    return { status: response.status, body: response.ok ? JSON.parse(text) : parsedOrNull(text) }
  } catch (cause) {
    throw new RoutingError(codeOf(cause), { cause })
  }
}

/**
 * The error of an HTTP status that is not a success and that the adapter does not know better. A refusal for a reason
 * that is in no table says nothing of the request: it may be the same for every request until this service is updated.
 *
 * @param code the provider's own code for the reason, where it says one.
 */
export function refusalOf({ status, body }: JsonAnswer, code?: string | number): RoutingError {
  const cause = { status, body }
  const known = codeOfStatus(status)
  if (known !== null) return new RoutingError(known, { cause })
  const named = isPlainCode(code) ? ` and the code ${code}` : ''
  return new Unreadable(`It answers with HTTP ${status}${named}, which is not in our tables.`, { cause })
}

/** Operators see it, so it is a code and no text of the provider's choice. */
const isPlainCode = (code: string | number | undefined): boolean => /^[A-Z0-9_]{1,60}$/.test(String(code ?? ''))

/** What the status says by itself; null where a reason is needed. */
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

/** Reads a body up to a limit, and stops reading beyond it. */
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

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
