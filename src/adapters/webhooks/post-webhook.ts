import { Resolver } from 'node:dns/promises'
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

/** A name server that does not answer is given up before the attempt is. */
const usual = { timeout: 2_500, tries: 2 }

/**
 * Looks up names without the resolver of the system, which occupies one of the few threads of this process for as long
 * as a name server is silent: a tenant's name would hold up the names of nodes and providers.
 *
 * @param servers The name servers to ask; when absent, those of the system.
 * @returns the addresses of a name, none when it has none or nobody answered.
 */
export function nameResolver(servers?: readonly string[], asking = usual): (name: string) => Promise<string[]> {
  const resolver = new Resolver(asking)
  if (servers) resolver.setServers(servers)
  return async (name) => {
    const none = (): string[] => []
    return (await Promise.all([resolver.resolve4(name).catch(none), resolver.resolve6(name).catch(none)])).flat()
  }
}

/**
 * Posts events. A name is resolved once, each of its addresses must be one of the public Internet, and the connection
 * goes to the address that was judged, with the name only in `host` and in the certificate. So nobody can answer with
 * one address to the check and with another to the connection. No proxy of the environment is used, which would resolve
 * the name again. No redirect is followed, and nothing of an answer is read but its status and `retry-after`.
 */
export function webhookPoster({
  toLoopback,
  resolve = nameResolver(),
  timeoutMs = timeoutMsDefault,
  ca,
  now = Date.now,
}: Options): PostWebhook {
  async function addressFor(url: URL): Promise<string> {
    if (urlObjection(url.href, toLoopback) !== null) throw new Unanswered('ADDRESS_REFUSED')
    const host = hostOf(url)
    const own = toLoopback && host === 'localhost' ? '127.0.0.1' : host
    const addresses = isIP(own) !== 0 ? [own] : await resolve(host).catch(() => [])
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
      const { statusCode, retryAfter } = await within(signal, posted(url, address, sent, { signal, ca }))
      return outcome(statusCode, null, retryAfterMsOf(retryAfter, now()))
    } catch (error) {
      return outcome(null, reasonOf(error, signal), null)
    }
  }
}

/** Waits no longer than until the signal: not every answer of a name server or an endpoint ends in an event. */
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
    // This is no answer to an event, and without a listener it would be none at all.
    request.on('upgrade', ({ statusCode = 101 }, socket) => {
      resolve({ statusCode, retryAfter: null })
      socket.destroy()
      request.destroy()
    })
    signal.addEventListener('abort', () => request.destroy(), { once: true })
    request.on('error', reject)
    request.end(body)
  })

function reasonOf(error: unknown, signal: AbortSignal): AttemptError {
  if (error instanceof Unanswered) return error.reason
  if (signal.aborted) return 'TIMEOUT'
  const code = String((error as { code?: unknown }).code ?? '')
  return /CERT|TLS|SSL|SELF_SIGNED|ISSUER/i.test(code) ? 'CERTIFICATE_REFUSED' : 'CONNECTION_FAILED'
}
