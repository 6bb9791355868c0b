import fc from 'fast-check'
import { hashOf } from '../../support/deposits'
import { heavyBodies, heavyQueries } from '../heavy'
import { bodyFor, malformed } from './bodies'
import { address, anything, id, text, user } from './values'

/** A request as a client would send it. `content` is undefined without a body. */
export type FuzzRequest = {
  method: string
  path: string
  key: string | null
  headers: Record<string, string>
  content: string | undefined
}

const parameter: fc.Arbitrary<[string, string]> = fc.oneof<fc.Arbitrary<[string, string]>[]>(
  fc.tuple(
    fc.constantFrom('limit', 'offset'),
    fc.oneof(fc.constantFrom('1', '2', '100', '101', '0', '-1', '1.5'), text),
  ),
  fc.tuple(
    fc.constantFrom('status', 'stage', 'types', 'verb', 'causeCode', 'provider'),
    fc.oneof(fc.constantFrom('SUCCESS', 'RUNNING,FAILED', 'ROUTED', 'execution.*', 'NO_ROUTE', 'lifi'), text),
  ),
  fc.tuple(fc.constantFrom('userId', 'apiKeyId', 'target', 'actor'), user),
  fc.tuple(fc.constantFrom('txHash', 'routeId'), fc.oneof(fc.constantFrom<string>(hashOf(1), hashOf(99)), text)),
  fc.tuple(fc.constantFrom('depositAddress', 'fromTokenAddress'), address),
  fc.tuple(fc.constantFrom('depositId', 'executionId', 'after', 'cursor'), id),
  fc.tuple(fc.constantFrom('fromChainId', 'toChainId', 'chainId'), fc.constantFrom('8453', '1', '5', '')),
  fc.tuple(
    fc.constantFrom('createdFrom', 'createdTo'),
    fc.oneof(fc.constantFrom('2026-11-21T10:00:00Z', '2026-13-41T99:99:99Z'), text),
  ),
  fc.tuple(text, text),
)

/** A path segment: any text that a URL can carry, raw or percent-encoded. */
const segment = fc.oneof(user, id, address, text).map((value) => {
  try {
    return encodeURIComponent(value)
  } catch {
    return '%EF%BF%BD'
  }
})

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const headers = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json; charset=utf-16' },
      { 'idempotency-key': 'one' },
      { 'idempotency-key': 'two' },
      { 'idempotency-key': 'with space' },
      { 'if-none-match': '*' },
      { 'if-none-match': 'W/"x", "y"' },
      { 'x-request-id': 'fuzz-request' },
      { accept: 'text/html' },
      { 'content-length': '1' },
      { cookie: 'a=b' },
    ),
  },
)

/** Requests to routes, mostly with the right method and a client's key. */
export function requestsTo(routes: { method: string; path: string }[], client: string, operator: string) {
  const made = routes.map(({ method, path }) => {
    const segments = path.split('/').map((part) => (part.startsWith(':') ? segment : fc.constant(part)))
    const filled = fc.tuple(...segments).map((parts) => `${method} ${parts.join('/')}`)
    return fc.tuple(filled, bodyFor(path))
  })
  return fc
    .record({
      method: fc.oneof(
        { weight: 20, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: fc.constantFrom(...methods) },
      ),
      asked: fc.oneof(
        { weight: 20, arbitrary: fc.oneof(...made) },
        {
          weight: 1,
          arbitrary: fc.tuple(
            fc.webPath().map((path) => `GET /api${path}`),
            anything,
          ),
        },
      ),
      key: fc.oneof(
        { weight: 6, arbitrary: fc.constant(client) },
        { weight: 1, arbitrary: fc.constant(operator) },
        { weight: 1, arbitrary: fc.constantFrom(null, '', 'sy_live_x', `${client}x`) },
      ),
      query: fc.oneof(
        { weight: 20, arbitrary: fc.constant<[string, string][]>([]) },
        { weight: 20, arbitrary: fc.array(parameter, { maxLength: 3 }) },
        { weight: 1, arbitrary: heavyQueries },
      ),
      raw: fc.oneof(
        { weight: 30, arbitrary: fc.constant(null) },
        { weight: 3, arbitrary: malformed },
        { weight: 1, arbitrary: heavyBodies },
      ),
      headers,
    })
    .map(({ method: other, asked: [route, body], key: any, query, raw, headers }): FuzzRequest => {
      const [own, bare] = route.split(' ', 2) as [string, string]
      const method = other || own
      const search = String(
        new URLSearchParams(query.map(([name, value]) => [name.toWellFormed(), value.toWellFormed()])),
      )
      const content = method === 'GET' || method === 'OPTIONS' ? undefined : (raw ?? jsonOf(body))
      // Mostly the expected role, because a refusal by role tests little.
      const key = any === client && bare.startsWith('/api/operator/') ? operator : any
      return { method, path: `${bare}${search ? `?${search}` : ''}`, key, headers, content }
    })
}

/** Values that JSON cannot express are left out. */
function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body) ?? 'null'
  } catch {
    return 'null'
  }
}
