import { jsonOf } from '../../domain/json'
import { provable, stepUp } from './step-up'

/** A refusal by the server: a sentence, and the request id for searching the log. */
export class ApiError extends Error {
  override name = 'ApiError'
  constructor(
    readonly statusCode: number,
    message: string,
    readonly code: string | null,
    readonly requestId: string | null,
  ) {
    super(message)
  }
}

/** Whether the server knows no such record, so an older copy of it must not be shown. */
export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.statusCode === 404

let organizationId: string | null = null

/** Sets the organization that all later requests are about. */
export function selectOrganization(id: string | null): void {
  organizationId = id
}

type RequestOptions = {
  method?: string
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
  /** Whether the page sends it again after a failure. The default is true for what only reads. */
  isRepeated?: boolean
}
export type ApiAnswer<T> = { body: T; next: string | null; status: number }

const organizationHeaders = (): Record<string, string> =>
  organizationId === null ? {} : { 'x-organization-id': organizationId }

/** Sends a request, and repeats it once if the person first had to prove the second step or sign in. */
export async function askFor<T>(path: string, requestOptions: RequestOptions = {}): Promise<ApiAnswer<T>> {
  try {
    return await askOnce<T>(path, requestOptions)
  } catch (error) {
    const needed = error instanceof ApiError ? provable.find((each) => each === error.code) : undefined
    if (!needed || !(await stepUp(needed))) throw error
    return askOnce<T>(path, requestOptions)
  }
}

/** Sends a request once. `next` is the URL of the list's next page. */
async function askOnce<T>(path: string, requestOptions: RequestOptions): Promise<ApiAnswer<T>> {
  const { body, headers = {}, signal, method = body === undefined ? 'GET' : 'POST' } = requestOptions
  const ifLost = (requestOptions.isRepeated ?? method === 'GET') ? lost.read : lost.act
  const init = {
    method,
    headers: {
      ...organizationHeaders(),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }
  const response = await reach(path, init, ifLost)
  const text = await response.text().catch(unreached(ifLost))
  const read = jsonOf(text) ?? null
  if (!response.ok) throw apiErrorOf(response, read)
  const next = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null
  return { body: read as T, next, status: response.status }
}

export const ask = async <T>(path: string, requestOptions?: RequestOptions): Promise<T> =>
  (await askFor<T>(`/app/api${path}`, requestOptions)).body
/** Fetches something to save as a file. */
export async function askFile(path: string): Promise<Blob> {
  const response = await reach(`/app/api${path}`, { headers: organizationHeaders() }, lost.file)
  if (!response.ok) throw apiErrorOf(response, jsonOf(await response.text()))
  return response.blob().catch(unreached(lost.file))
}
/** Streams a text, and stops when the signal is aborted. */
export async function* streamText(path: string, signal: AbortSignal): AsyncGenerator<string> {
  const response = await reach(path, { headers: organizationHeaders(), signal }, lost.file)
  if (!response.ok) throw apiErrorOf(response, jsonOf(await response.text()))
  const decoder = new TextDecoder()
  const reader = response.body!.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read())
    yield decoder.decode(part.value, { stream: true })
}
/** Fetches a whole list, page by page. */
export async function askAll<Row>(path: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let at: string | null = `/app/api${path}`; at !== null; ) {
    const page: ApiAnswer<Row[]> = await askFor<Row[]>(at)
    rows.push(...page.body)
    at = page.next
  }
  return rows
}
export const askAuth = async <T>(path: string, body?: unknown): Promise<T> =>
  (await askFor<T>(`/app/auth/${path}`, body === undefined ? {} : { body })).body

/** Opens a stream of text. */
export const openStream = (path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> =>
  reach(`/app/api${path}`, { headers: { ...organizationHeaders(), accept: 'text/event-stream', ...headers }, signal })

/** A browser resolves such a segment, so a user of this name would become another path, whose 404 means no intent. */
const dotSegment = /\/\.{1,2}(?=[/?]|$)/

/** The messages for a lost connection. The page repeats only what it reads for itself. */
const lost = {
  read: 'The server cannot be reached. Check your connection; this page retries automatically.',
  act: 'The server cannot be reached. This may not have been done. Check your connection and try again.',
  file: 'The server cannot be reached. Check your connection and try again.',
} as const

const unreached = (message: string) => (error: Error) => {
  throw error.name === 'AbortError' ? error : new ApiError(0, message, null, null)
}

async function reach(path: string, init: RequestInit, ifLost: string = lost.read): Promise<Response> {
  if (dotSegment.test(path.split('?')[0]!))
    throw new ApiError(400, 'An id of only one or two dots cannot be in an address.', 'AMBIGUOUS_REQUEST', null)
  // A repeated request must get the current response. The server sends no body if nothing has changed.
  return fetch(path, { credentials: 'same-origin', cache: 'no-cache', ...init }).catch(unreached(ifLost))
}

/** The error codes of the sign-in library, in our words. */
const inOurWords: Record<string, string> = {
  INVALID_EMAIL_OR_PASSWORD: 'The e-mail or the password is wrong.',
  INVALID_PASSWORD: 'The password is wrong.',
  INVALID_CODE: 'The code is wrong or out of date. Enter the one shown now; the clock of your phone must be right.',
  INVALID_BACKUP_CODE: 'The backup code is wrong or was used before. Each works once.',
  INVALID_TWO_FACTOR_COOKIE: 'This sign-in has expired. Reload the page and sign in again.',
}

/** Fewer tries than these are named. */
const fewTries = 6

export function apiErrorOf(response: Response, body: unknown): ApiError {
  const { message, code } = (body ?? {}) as { message?: string; code?: string }
  const ours = inOurWords[code ?? '']
  const left = response.headers.get('ratelimit-remaining')
  return new ApiError(
    response.status,
    (ours && left !== null && Number(left) < fewTries ? `${ours} Tries left: ${left}.` : ours) ??
      sentence(message) ??
      `The server answered ${response.status}.`,
    response.headers.get('x-error-code') ?? code ?? null,
    response.headers.get('x-request-id'),
  )
}

const sentence = (message: string | undefined): string | null =>
  message ? `${message[0]!.toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}` : null

export const queryOf = (parameters: Record<string, string | number | null | undefined>): string => {
  const named = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const query = new URLSearchParams(named.map(([name, value]) => [name, String(value)])).toString()
  return query && `?${query}`
}
