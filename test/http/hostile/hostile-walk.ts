import type { AuditEntry } from '../../../src/domain/tenant/audit'
import { auditVerbs } from '../../../src/domain/tenant/audit-verb'
import { invitationDigest } from '../../../src/http/dashboard/new-tenants'
import { acceptedToken } from '../openapi/good-bodies'
import { requestsTo } from './hostile-requests'
import { everything, objections, storedNames, victims } from './hostile-store'
import { type HostileWorld, origin, type Route, type Sent } from './hostile-world'

/** Routes that only read or sign in. Their own tests check their log entries. */
const isUnaudited = (path: string): boolean =>
  /^\/(webhooks|app\/auth)\/|simulate-deposit$|deposits\/rescan$|jobs\/count$|\/(notifications|views)$/.test(path)
/** Routes that leave no entry if nothing changes. */
const mayStayAsItIs = (path: string): boolean => /\/(deposit-intents|accounts|approve)$/.test(path)
const isPublic = (route: string): boolean =>
  /^(GET \/api\/health|GET \/app\/api\/(me|invitation|registration)|\w+ \/app\/auth\/|\w+ \/webhooks\/)/.test(route)
/** Collections that grow. They are emptied now and then, and compared with the rest. */
const filling = { apiKeys: /\/keys/, invitations: /\/invitations/, memberships: /\/organizations$/ }
const emptyEvery = 15

export type Walked = {
  routes: number
  tried: number
  carriedOut: number
  neverCarriedOut: string[]
  objections: string[]
}

/** @param most Hostile requests per route and caller, except for the first caller. */
export async function walk(world: HostileWorld, most: number): Promise<Walked> {
  const { attacker, victim, platform, audit, bugs, connection, handle } = world
  const fields = await storedNames(world)
  const before = await everything(world)
  const theirs = victims(world, before)
  const untouched = theirs(before)
  const own = new Set([...before].flatMap(([name, documents]) => documents.map(({ _id }) => `${name} ${_id}`)))
  const taken: typeof before = new Map()
  const found: Walked = { routes: 0, tried: 0, carriedOut: 0, neverCarriedOut: [], objections: [] }
  const object = (what: string) => found.objections.length < 50 && found.objections.push(what)

  const signed = { 'x-alchemy-signature': 'good' }
  const cookie = (name: string) => ({ cookie: attacker.cookies[name]!, origin, ...signed })
  function callersOf({ path }: Route): { right: Sent['headers']; wrong: Sent['headers'][]; platform: Sent['headers'] } {
    if (!path.startsWith('/api/')) {
      const wrong = [
        { origin },
        cookie('member'),
        cookie('spare'),
        { ...cookie('owner'), 'x-organization-id': victim.id },
      ]
      const others = [{ ...cookie('owner'), 'x-api-key-id': victim.client.record.id }]
      // An invited person accepts, and someone other than the last owner leaves.
      const right = path.endsWith('/invitation') ? 'spare' : path.endsWith('/leave') ? 'admin' : 'owner'
      return {
        right: cookie(right),
        wrong: [...wrong, ...others],
        platform: { cookie: platform.cookies['owner']!, origin, ...signed },
      }
    }
    const keys = [attacker.client.text, attacker.operator.text].map((key) => ({ 'x-api-key': key }))
    const isOperators = path.includes('/operator/')
    const wrong = [{}, isOperators ? keys[0]! : keys[1]!, { cookie: attacker.cookies['owner']!, origin }]
    return { right: isOperators ? keys[1]! : keys[0]!, wrong, platform: { 'x-api-key': platform.operator.text } }
  }

  /** Whether an action is in the right log: the log of the acting organization, the created one, or none yet. */
  function isItsOwn({ verb, target, organizationId }: AuditEntry, headers: Sent['headers']): boolean {
    const isPlatform = [platform.cookies['owner'], platform.operator.text].some((each) =>
      Object.values(headers ?? {}).includes(each!),
    )
    if (verb === 'organization.create') return organizationId === target
    if (verb.startsWith('person.') && organizationId === 'none') return true
    return organizationId === attacker.id || (isPlatform && organizationId === platform.id)
  }

  async function send(route: Route, headers: Sent['headers'], path: string, content?: string): Promise<number> {
    const noted = audit.length
    found.tried++
    const { status, headers: answered } = await handle(path, { method: route.method, headers: headers ?? {}, content })
    const said = `${route.method} ${path} ${content ?? ''}`.slice(0, 300)
    if (status >= 500 || bugs.length > 0) object(`${said}: ${status} ${bugs.splice(0).map(String).join()}`)
    if (answered.get('x-content-type-options') !== 'nosniff') object(`${said}: may be taken for something else`)
    if (route.method === 'GET' || status >= 300) return status
    found.carriedOut++
    const entries = audit.slice(noted)
    const isMissing = entries.length === 0 && !isUnaudited(route.path) && !mayStayAsItIs(route.path)
    if (isMissing) object(`${said}: ${status} and nothing in the audit log`)
    for (const entry of entries) {
      const { verb, target, organizationId } = entry
      if (!auditVerbs.includes(verb) || target === '' || !isItsOwn(entry, headers))
        object(`${said}: noted as ${verb} of ${target} for ${organizationId}`)
    }
    return status
  }

  /** Recreates what a route ends, such as a key or an invitation. */
  async function freshFor({ path }: Route): Promise<string> {
    if (path.includes('/keys/:id')) return (await world.keyOf(attacker.id, 'CLIENT')).record.id
    if (path.includes('/recipient-changes/:id')) return world.heldFor(attacker)
    if (path.includes('/webhook-endpoints/:id')) return world.endpointFor(attacker.id)
    const verb = /executions\/:id\/(approve|dead-letter)$/.exec(path)?.[1]
    if (verb) return world.executionFor(attacker, verb === 'approve' ? 'finding route' : 'FAILED')
    if (!/\/invitations?(\/:id|$)/.test(path) || path.endsWith('/invitations')) return ''
    const id = `inv_fresh_${found.tried}`
    const { version: _, ...invitation } = (await world.store.invitations.load(attacker.ids.invitation))!
    const isAccepted = path.endsWith('/invitation')
    const tokenDigest = isAccepted ? invitationDigest(acceptedToken) : id
    const email = isAccepted ? 'a-spare@x.test' : invitation.email
    const terms = { tokenDigest, email, acceptedAt: null, withdrawnAt: null }
    await world.begin(world.store.invitations, { ...invitation, ...terms, id, version: 0 })
    return id
  }

  async function empty({ path }: Route): Promise<void> {
    for (const [name, form] of Object.entries(filling)) {
      if (!form.test(path)) continue
      const model = connection.models[name]!
      const documents = (await model.collection.find().toArray()) as unknown as { _id: string }[]
      const extra = documents.filter(({ _id }) => !own.has(`${name} ${_id}`))
      taken.set(name, [...(taken.get(name) ?? []), ...(extra as never[])])
      await model.collection.deleteMany({ _id: { $in: extra.map(({ _id }) => _id) } } as never)
    }
  }

  /** Restores every membership. */
  async function reseat(): Promise<void> {
    const membership = (await world.store.memberships.load(attacker.id))!
    await world.store.memberships.save({ ...membership, members: [...attacker.members] })
  }

  for (const route of world.routes) {
    found.routes++
    const name = `${route.method} ${route.path}`
    if (route.path.startsWith('/app/auth/')) attacker.cookies['owner'] = await world.signIn('a-owner@x.test')
    const { right, wrong, platform: platforms } = callersOf(route)
    const fresh = await freshFor(route)
    const all = requestsTo(route, world, fields, fresh)
    const step = Math.max(1, all.length / most)
    const chosen = all.filter(
      (_, n) => n < 3 || n === all.length - 1 || Math.floor(n / step) !== Math.floor((n - 1) / step),
    )
    let wasCarriedOut = false
    for (const [n, { path, content }] of chosen.entries()) {
      if (route.method === 'POST' && n % emptyEvery === emptyEvery - 1) await empty(route)
      const status = await send(route, right, path, content)
      wasCarriedOut ||= status < 300
    }
    await reseat()
    const [meant] = all
    for (const headers of wrong) {
      const status = await send(route, headers, meant!.path, meant!.content)
      const isNobody = !headers?.['cookie'] && !headers?.['x-api-key']
      if (isNobody && status < 400 && !isPublic(name)) object(`${name} lets in whoever is nobody: ${status}`)
    }
    await reseat()
    if (!wasCarriedOut) wasCarriedOut = (await send(route, platforms, meant!.path, meant!.content)) < 300
    if (!wasCarriedOut && route.method !== 'GET') found.neverCarriedOut.push(name)
    await empty(route)
    const now = theirs(await everything(world))
    const touched = differing(untouched, now)
    if (touched.length > 0) {
      object(`${name} has touched what is another organization’s: ${touched.join(', ')}`)
      break
    }
  }
  const now = await everything(world)
  for (const [name, documents] of taken) now.set(name, [...(now.get(name) ?? []), ...documents])
  found.objections.push(...objections(world, before, now).slice(0, 50))
  return found
}

/** The names of changed documents, with the fields that differ. */
function differing(before: Record<string, object>, now: Record<string, object>): string[] {
  const fieldsOf = (one: object | undefined) =>
    new Map(Object.entries(one ?? {}).map(([k, v]) => [k, JSON.stringify(v)]))
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap((name) => {
    const [old, young] = [fieldsOf(before[name]), fieldsOf(now[name])]
    const fields = [...new Set([...old.keys(), ...young.keys()])].filter((key) => old.get(key) !== young.get(key))
    return fields.length > 0 ? [`${name} (${fields.join(', ')})`] : []
  })
}
