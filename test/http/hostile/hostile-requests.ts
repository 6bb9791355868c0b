import { deliveryId } from '../../../src/domain/webhook/delivery'
import { example } from '../../../src/http/views/examples'
import { goodBodies } from '../openapi/good-bodies'
import { target } from '../world'
import { scopeValues } from './hostile-values'
import { type HostileWorld, password, type Route } from './hostile-world'

export type Hostile = { path: string; content: string | undefined; isAsMeant: boolean }

const reason = 'because of the walk'

let asked = 0
/** A valid request to the route, with the attacker's own data. @throws for a new route without a known body. */
export function bodyOf({ method, path, hooks }: Route): Record<string, unknown> | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined
  const own = `walk-${++asked}`
  if (path.endsWith('/deposit-intents')) return { userId: own, ...target }
  if (path.endsWith('/accounts')) return { ownerAddress: own, chainKey: 'base', label: own }
  if (path === '/app/auth/sign-in/email') return { email: 'a-owner@x.test', password }
  if (path.startsWith('/app/auth/')) return { email: `${own}@x.test`, password, name: own }
  const body = goodBodies[`${method} ${path}`] ?? hooks?.detail?.operation?.bodyExample
  if (!body && hooks?.body) throw new Error(`Say which body ${method} ${path} takes`)
  return { ...body, ...(path.includes('/operator/') && { reason }) }
}

/** The attacker's own ids, for the parameters of a route. */
export function placesOf({ path }: Route, { attacker }: HostileWorld, fresh: string): Record<string, string> {
  const { ids, people } = attacker
  const kinds: [RegExp, string][] = [
    [/\/keys\//, fresh || ids.key],
    [/\/invitations\//, fresh || ids.invitation],
    [/\/(jobs|scans)\//, ids.job],
    [/./, fresh || ids.execution],
  ]
  const id = kinds.find(([form]) => form.test(path))![1]
  const address = attacker.depositAddress
  // Every endpoint that the walk creates gets one delivery, of the event in the document's examples.
  const delivery = deliveryId(fresh, example.eventId)
  const [userId, personId] = [attacker.userId, people[3]!.id]
  return { id, deliveryId: delivery, userId, personId, scope: 'organization', address }
}

const filled = (path: string, places: Record<string, string>): string =>
  path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(places[name] ?? 'one'))

/** The query that a DELETE requires. */
function searchOf(path: string): string {
  if (path.includes('/operator/')) return `?reason=${encodeURIComponent(reason)}`
  if (path.endsWith('/views')) return '?name=Stuck%20on%20Base'
  return /\/(invitations|recipient-changes)\//.test(path) ? '?version=1' : ''
}

/** Builds JSON as text, which makes `__proto__` an ordinary name. */
const withField = (body: object, name: string, value: unknown): string => {
  const text = JSON.stringify(body)
  return `${text.slice(0, -1)}${text === '{}' ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}}`
}

/** Every deviant request to a route, with a valid one first and last. */
export function requestsTo(route: Route, world: HostileWorld, fields: readonly string[], fresh: string): Hostile[] {
  const { method, path } = route
  const { theirs, operators, keys } = scopeValues(world)
  const places = placesOf(route, world, fresh)
  const isRead = method === 'GET' || method === 'DELETE'
  const search = method === 'DELETE' ? searchOf(path) : ''
  const here = filled(path, places)
  const meant = (): Hostile => {
    const body = bodyOf(route)
    return { path: here + search, content: body && JSON.stringify(body), isAsMeant: true }
  }
  const found: Hostile[] = [meant()]
  const send = (content: string | undefined, at = here + search) => found.push({ path: at, content, isAsMeant: false })
  const hostileFor = (name: string, n: number) =>
    Object.hasOwn(theirs, name) ? theirs[name] : operators[n % operators.length]
  const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

  if (!isRead) {
    const all = Object.fromEntries(fields.map((name, n) => [name, hostileFor(name, n)]))
    send(JSON.stringify({ ...all, ...bodyOf(route) }))
    send(JSON.stringify({ ...bodyOf(route), ...all }))
    for (const [n, name] of fields.entries()) {
      const body = bodyOf(route)!
      if (!(name in body)) send(withField(body, name, hostileFor(name, n)))
      send(withField(body, name, operators[n % operators.length]))
    }
    for (const name of keys)
      for (const value of [{ isPlanted: true }, 'planted']) send(withField(bodyOf(route)!, name, value))
    for (const [name, value] of Object.entries(bodyOf(route)!)) {
      for (const operator of [...operators, ...Object.values(theirs)])
        send(JSON.stringify({ ...bodyOf(route), [name]: operator }))
      const nested = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
      for (const [n, field] of [...fields, ...keys].entries())
        send(JSON.stringify({ ...bodyOf(route), [name]: JSON.parse(withField(nested, field, hostileFor(field, n))) }))
    }
    for (const whole of [[], [bodyOf(route)], null, 'text', 1, { body: bodyOf(route) }]) send(JSON.stringify(whole))
  }
  const content = isRead ? undefined : JSON.stringify(bodyOf(route))
  const glue = search ? '&' : '?'
  for (const [n, name] of [...fields, ...keys].entries()) {
    const value = encodeURIComponent(textOf(hostileFor(name, n)))
    for (const sent of [`${encodeURIComponent(name)}=${value}`, `${encodeURIComponent(name)}[$gt]=`])
      send(content, here + search + glue + sent)
  }
  for (const name of [...path.matchAll(/:(\w+)/g)].map(([, found]) => found!))
    for (const value of [...Object.values(theirs), ...operators, ...keys])
      send(content, filled(path, { ...places, [name]: textOf(value) }) + search)
  found.push(meant())
  return found
}
