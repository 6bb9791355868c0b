import { Resolver } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import type { AttemptError } from '../../domain/webhook/delivery'
import { hostOf, mayReach, urlObjection } from '../../domain/webhook/destination'

export type GuardOptions = {
  /** Whether this machine may be reached, as it may where all money is test money. */
  toLoopback: boolean
  /** The addresses of a name. */
  resolve?: (name: string) => Promise<string[]>
  timeoutMs?: number
  /** The certificate authorities that are believed; when absent, those of the system. */
  ca?: string
}

/** Why no answer came. */
export class Unanswered extends Error {
  override name = 'Unanswered'

  constructor(readonly reason: AttemptError) {
    super(reason)
  }
}

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

type Guard = Required<Pick<GuardOptions, 'toLoopback' | 'resolve'>>

/**
 * Returns the address to connect to. A name is resolved once, each of its addresses must be one of the public Internet,
 * and the connection goes to the address that was judged, with the name only in `host` and in the certificate. So
 * nobody can answer with one address to the check and with another to the connection.
 *
 * @param failed The address that gave no answer last; the next one of the name is taken.
 * @throws {Unanswered}
 */
export async function addressFor(url: URL, { toLoopback, resolve }: Guard, failed?: string): Promise<string> {
  if (urlObjection(url.href, toLoopback) !== null) throw new Unanswered('ADDRESS_REFUSED')
  const host = hostOf(url)
  const own = toLoopback && host === 'localhost' ? '127.0.0.1' : host
  const addresses = isIP(own) !== 0 ? [own] : await resolve(host).catch(() => [])
  if (addresses.length === 0) throw new Unanswered('NAME_NOT_FOUND')
  if (!addresses.every((address) => mayReach(address, toLoopback))) throw new Unanswered('ADDRESS_REFUSED')
  const inOrder = addresses.toSorted((a, b) => isIP(a) - isIP(b))
  const next = failed === undefined ? 0 : inOrder.indexOf(failed) + 1
  return inOrder[next % inOrder.length]!
}

/** Waits no longer than until the signal: not every answer of a name server or an endpoint ends in an event. */
export const within = <Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Unanswered('TIMEOUT')), { once: true })
    promise.then(resolve, reject)
  })

type Asked = { method: string; headers: Record<string, string>; body: string }
type Limits = {
  signal: AbortSignal
  ca: string | undefined
  /** Keeps connections to this address; when absent, the connection is closed afterwards. */
  agent?: http.Agent
}

/**
 * Begins a request to an address that was judged. No proxy of the environment is used, which would resolve the name
 * again.
 */
export function requestTo(
  url: URL,
  address: string,
  { method, headers, body }: Asked,
  { signal, ca, agent }: Limits,
): http.ClientRequest {
  const isSecure = url.protocol === 'https:'
  const name = hostOf(url)
  const length = method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return (isSecure ? https : http).request({
    host: address,
    port: url.port === '' ? undefined : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method,
    headers: { ...headers, host: url.host, ...length },
    // An agent that others use as well could have a connection to an address that was judged for another name.
    agent: agent ?? false,
    signal,
    ...(isSecure && { servername: isIP(name) === 0 ? name : '', ...(ca !== undefined && { ca }) }),
  })
}
