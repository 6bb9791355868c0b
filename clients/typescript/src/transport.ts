import { ApiError, ConnectionError, type ErrorBody, SwitchyardError } from './errors.js'
import { defaultRetry, type RetryOptions, type RetryRules, wait, waitAfter } from './retry.js'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export type ClientOptions = {
  /** The URL of the service, such as `https://switchyard.example`. */
  baseUrl: string
  /** A key with role `CLIENT`. Keep it on your servers. */
  apiKey: string
  retry?: RetryOptions
  /** Time limit of one attempt. Default 30,000. */
  timeoutMs?: number
  /** Default: the runtime's own. */
  fetch?: Fetch
}

export type RequestOptions = {
  signal?: AbortSignal
  /** For mutations; random by default. Set your own if a repetition can come from another process. */
  idempotencyKey?: string
}

export type Values = Readonly<Record<string, unknown>>
export type Request = RequestOptions & {
  method: string
  path: string
  query?: Values | undefined
  body?: unknown
}

/** A request ready to send. */
export type Written = { url: string; init: { method: string; headers: Headers; body?: string } }

const reads = ['GET', 'HEAD']

/** Sends requests, and repeats them if that is safe. */
export class Transport {
  readonly #base: URL
  readonly #apiKey: string
  readonly #fetch: Fetch
  readonly #timeoutMs: number
  readonly retry: RetryRules

  constructor({ baseUrl, apiKey, retry, timeoutMs = 30_000, fetch: own }: ClientOptions) {
    if (!URL.canParse(baseUrl)) throw new TypeError(baseUrl ? 'baseUrl is not a URL' : 'baseUrl is missing')
    const base = new URL(baseUrl)
    if (!/^https?:$/.test(base.protocol)) throw new TypeError('baseUrl must begin with https:// or http://')
    if (!apiKey) throw new TypeError('apiKey is missing')
    base.pathname = base.pathname.replace(/\/*$/, '/')
    this.#base = base
    this.#apiKey = apiKey
    this.#timeoutMs = timeoutMs
    this.#fetch = own ?? ((url, init) => fetch(url, init))
    const given = Object.entries(retry ?? {}).filter(([, value]) => value !== undefined)
    this.retry = { ...defaultRetry, ...Object.fromEntries(given) }
  }

  /**
   * Sends a request until it succeeds or another attempt is pointless. Every attempt of a mutation has the same
   * `Idempotency-Key`, so it takes effect once.
   *
   * @returns the response and its body, which is null if there is none.
   * @throws ApiError, ConnectionError, or the reason of the caller's abort signal. Throws a TypeError if the request
   * cannot be written; it was then never sent.
   */
  async send(request: Request): Promise<{ response: Response; body: unknown }> {
    const idempotencyKey = keyOf(request)
    const written = this.written(request, idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey })
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(written, request.signal, idempotencyKey)
      } catch (error) {
        if (!(error instanceof SwitchyardError)) throw error
        const waitMs = waitAfter(this.retry, attempt, error, Math.random())
        if (waitMs === null) throw error
        await wait(waitMs, request.signal)
      }
    }
  }

  async #attempt(written: Written, signal: AbortSignal | undefined, idempotencyKey: string | null) {
    const late = new AbortController()
    const giveUp = () => late.abort(signal?.reason)
    const timer = setTimeout(() => late.abort(new Error(`No response within ${this.#timeoutMs} ms`)), this.#timeoutMs)
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      signal?.throwIfAborted()
      const response = await this.open(written, late.signal, idempotencyKey)
      const text = await response.text()
      return { response, body: text === '' ? null : JSON.parse(text) }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw error instanceof SwitchyardError ? error : new ConnectionError(error, idempotencyKey)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
    }
  }

  /**
   * Returns a request as every attempt sends it.
   *
   * @throws TypeError if its body or a header cannot be written. Another attempt would not change that.
   */
  written({ method, path, query, body }: Request, headers: Record<string, string>): Written {
    const url = new URL(path.replace(/^\//, ''), this.#base)
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value))
    const init = {
      method,
      headers: new Headers({
        'x-api-key': this.#apiKey,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
    return { url: url.href, init }
  }

  /**
   * Makes one attempt without a time limit. Returns the response with its body unread.
   *
   * @throws ApiError if the service refuses, and any error of `fetch`.
   */
  async open({ url, init }: Written, signal: AbortSignal, idempotencyKey: string | null = null): Promise<Response> {
    // Redirects are errors, so the key goes only to this service.
    const response = await this.#fetch(url, { ...init, signal, redirect: 'error' })
    if (response.ok) return response
    throw new ApiError(response, await errorBody(response), idempotencyKey)
  }
}

const keyOf = ({ method, idempotencyKey }: Request): string | null =>
  reads.includes(method) ? null : (idempotencyKey ?? crypto.randomUUID())

async function errorBody(response: Response): Promise<Partial<ErrorBody> | null> {
  const text = await response.text()
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' ? body : null
  } catch {
    return null
  }
}

/** Fills the parameters into a path: `/api/users/{userId}/account`. */
export const pathWith = (path: string, values: Values): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined || value === '') throw new TypeError(`${name} is missing`)
    // A value of dots would change the path.
    if (/^\.{1,2}$/.test(String(value))) throw new TypeError(`${name} must not be ${value}`)
    return encodeURIComponent(String(value))
  })
