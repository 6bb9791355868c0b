import { Resolver } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import type { AttemptError } from '../../domain/webhook/delivery'
import { hostOf, mayReach, urlObjection } from '../../domain/webhook/destination'

export type GuardOptions = {
  /** Whether this machine may be reached. True only if all money is test money. */
  toLoopback: boolean
  /** Resolves a name to its addresses. */
  resolve?: (name: string) => Promise<string[]>
  timeoutMs?: number
  /** The trusted certificate authorities. If absent, the system's. */
  ca?: string
}

/** No usable response came, for this reason. */
export class AttemptFailed extends Error {
  override name = 'Unanswered'

  constructor(readonly reason: AttemptError) {
    super(reason)
  }
}

/** Gives up on a silent name server before the attempt times out. */
const usual = { timeout: 2_500, tries: 2 }

/**
 * Resolves names without the system's resolver. That one occupies one of this process's few threads while a name server
 * is silent, so a tenant's name could delay the names of nodes and providers.
 *
 * @param servers Name servers to query. If absent, the system's.
 * @returns The addresses of a name. Empty if it has none or no server answers.
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
 * Returns the address to connect to. A name is resolved once, and each of its addresses must be public. The connection
 * goes to the checked address, with the name only in `host` and in the certificate. A name server therefore cannot
 * return one address for the check and a second one for the connection.
 *
 * @param failed The address that last gave no response. The name's next address is returned.
 * @throws {AttemptFailed}
 */
export async function addressFor(url: URL, { toLoopback, resolve }: Guard, failed?: string): Promise<string> {
  if (urlObjection(url.href, toLoopback) !== null) throw new AttemptFailed('ADDRESS_REFUSED')
  const host = hostOf(url)
  const own = toLoopback && host === 'localhost' ? '127.0.0.1' : host
  const addresses = isIP(own) !== 0 ? [own] : await resolve(host).catch(() => [])
  if (addresses.length === 0) throw new AttemptFailed('NAME_NOT_FOUND')
  if (!addresses.every((address) => mayReach(address, toLoopback))) throw new AttemptFailed('ADDRESS_REFUSED')
  const inOrder = addresses.toSorted((a, b) => isIP(a) - isIP(b))
  const next = failed === undefined ? 0 : inOrder.indexOf(failed) + 1
  return inOrder[next % inOrder.length]!
}

/** Rejects when the signal fires, because some responses of name servers and endpoints never end in an event. */
export const within = <Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new AttemptFailed('TIMEOUT')), { once: true })
    promise.then(resolve, reject)
  })

type GuardedRequest = { method: string; headers: Record<string, string>; body: string }
type Limits = {
  signal: AbortSignal
  ca: string | undefined
  /** Keeps connections to this address. If absent, the connection is closed afterwards. */
  agent?: http.Agent
}

/**
 * Starts a request to a checked address. It ignores proxies of the environment, because a proxy would resolve the name
 * again.
 */
export function requestTo(
  url: URL,
  address: string,
  { method, headers, body }: GuardedRequest,
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
    // A shared agent could hold a connection to an address that was checked for another name.
    agent: agent ?? false,
    signal,
    ...(isSecure && { servername: isIP(name) === 0 ? name : '', ...(ca !== undefined && { ca }) }),
  })
}
