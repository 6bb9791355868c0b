import { lookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import type { AttemptError, Outcome } from '../../domain/webhook/delivery'
import { retryAfterMsOf } from '../../domain/webhook/delivery'
import { hostOf, mayReach, urlObjection } from '../../domain/webhook/destination'
import type { PostWebhook } from '../../ports/webhooks/webhooks'

type Options = {
  /** Whether events may be posted to this machine, as they may where all money is test money. */
  toLoopback: boolean
  /** The addresses of a name. */
  resolve?: (name: string) => Promise<string[]>
  timeoutMs?: number
  /** The certificate authorities that are believed; when absent, those of the system. */
  ca?: string
  now?: () => number
}

type Answer = { statusCode: number; retryAfter: string | null }

/** Why no answer came. */
class Unanswered extends Error {
  override name = 'Unanswered'

  constructor(readonly reason: AttemptError) {
    super(reason)
  }
}

const timeoutMsDefault = 15_000

const addressesOf = async (name: string): Promise<string[]> =>
  (await lookup(name, { all: true })).map(({ address }) => address)

/**
 * Posts events. A name is resolved once, each of its addresses must be one of the public Internet, and the connection
 * goes to the address that was judged, with the name only in `host` and in the certificate. So nobody can answer with
 * one address to the check and with another to the connection. No proxy of the environment is used, which would resolve
 * the name again. No redirect is followed, and nothing of an answer is read but its status and `retry-after`.
 */
export function webhookPoster({
  toLoopback,
  resolve = addressesOf,
  timeoutMs = timeoutMsDefault,
  ca,
  now = Date.now,
}: Options): PostWebhook {
  async function addressFor(url: URL): Promise<string> {
    if (urlObjection(url.href, toLoopback) !== null) throw new Unanswered('ADDRESS_REFUSED')
    const host = hostOf(url)
    const addresses = isIP(host) !== 0 ? [host] : await resolve(host).catch(() => [])
    if (addresses.length === 0) throw new Unanswered('NAME_NOT_FOUND')
    if (!addresses.every((address) => mayReach(address, toLoopback))) throw new Unanswered('ADDRESS_REFUSED')
    return addresses.find((address) => isIP(address) === 4) ?? addresses[0]!
  }

  return async (text, sent) => {
    const startedAt = performance.now()
    const signal = AbortSignal.timeout(timeoutMs)
    const outcome = (statusCode: number | null, error: AttemptError | null, retryAfterMs: number | null): Outcome => ({
      statusCode,
      durationMs: Math.round(performance.now() - startedAt),
      error,
      retryAfterMs,
    })
    try {
      const url = new URL(text)
      const address = await within(signal, addressFor(url))
      const { statusCode, retryAfter } = await posted(url, address, sent, { signal, ca })
      return outcome(statusCode, null, retryAfterMsOf(retryAfter, now()))
    } catch (error) {
      return outcome(null, reasonOf(error, signal), null)
    }
  }
}

/** The resolver of the system cannot be interrupted, so its answer is not waited for any longer. */
const within = <Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Unanswered('TIMEOUT')), { once: true })
    promise.then(resolve, reject)
  })

type Sent = Parameters<PostWebhook>[1]

const posted = (
  url: URL,
  address: string,
  { headers, body }: Sent,
  { signal, ca }: { signal: AbortSignal; ca: string | undefined },
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const isSecure = url.protocol === 'https:'
    const name = hostOf(url)
    const options = {
      host: address,
      port: url.port === '' ? undefined : Number(url.port),
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: { ...headers, host: url.host, 'content-length': String(Buffer.byteLength(body)) },
      // A connection that is kept would be one to an address that was judged for an earlier event.
      agent: false as const,
      signal,
      ...(isSecure && { servername: isIP(name) === 0 ? name : '', ...(ca !== undefined && { ca }) }),
    }
    const request = (isSecure ? https : http).request(options, (response) => {
      const retryAfter = response.headers['retry-after'] ?? null
      resolve({ statusCode: response.statusCode ?? 0, retryAfter })
      response.destroy()
      request.destroy()
    })
    request.on('error', reject)
    request.end(body)
  })

function reasonOf(error: unknown, signal: AbortSignal): AttemptError {
  if (error instanceof Unanswered) return error.reason
  if (signal.aborted) return 'TIMEOUT'
  const code = String((error as { code?: unknown }).code ?? '')
  return /CERT|TLS|SSL|SELF_SIGNED|ISSUER/i.test(code) ? 'CERTIFICATE_REFUSED' : 'CONNECTION_FAILED'
}
