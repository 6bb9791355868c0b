import { Elysia } from 'elysia'
import { rewrite } from '../../domain/concurrency'
import { type } from '../../domain/schema'
import { isAddressRange } from '../../domain/tenant/address-range'
import { type ApiKey, hasEnded, roles } from '../../domain/tenant/api-key'
import { changesOf } from '../../domain/tenant/audit'
import type { AuditVerb } from '../../domain/tenant/audit-verb'
import { maySponsorGas } from '../../domain/tenant/organization'
import type { Faucet } from '../../ports/chain-client'
import type { KeyRequest, RequestLog, Semaphores } from '../../ports/limits'
import type { AuditQueries } from '../../ports/queries'
import type { PagePosition } from '../../ports/records'
import type { ApiKeys, AuditLog } from '../../ports/tenants'
import { Refusal } from '../request/failure'
import { bodyOf, listQuery, pageOf, readListQuery } from '../request/page'
import { FlagFilter } from '../views/filter'
import { audited } from './audited'
import { type KeyView, keyViews } from './key-views'
import { admins, assureRecent, everybody, type MemberSession, memberSession, type SessionPorts } from './member-session'
import { newApiKey, type RequestedApiKey } from './new-tenants'

type Ports = SessionPorts & {
  apiKeys: ApiKeys
  requestLog: RequestLog
  auditLog: AuditLog & AuditQueries
  faucet: Faucet | null
  semaphores: Semaphores
}

const keysMax = 100
/** During a roll, each key can overlap with its successor. */
const rollingMax = 2 * keysMax
/** The permit of a new key is held for this long, which is longer than any request takes to store the key. */
const creationMs = 5 * 60_000
const daysMs = 86_400_000
const notSponsored =
  'The plan of this organization has no sponsored gas: set sponsoredGas to false, or ask for another plan'

const rangesMax = 50
const Range = type('string <= 64')
  .describe('an IP address or a CIDR range, such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32')
  .narrow(
    (text, context) =>
      isAddressRange(text) ||
      context.mustBe('an IP address or a CIDR range, such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32'),
  )
const Ranges = Range.array().atMostLength(rangesMax)
const Label = type(/^[^\p{Cc}\p{Cs}]{1,64}$/u).describe('1 to 64 characters')
const terms = { label: Label, protocolFeeBps: '0 <= number.integer <= 1000', sponsoredGas: 'boolean' } as const
const CreateRequest = type({
  ...terms,
  role: type.enumerated(...roles),
  'endsInDays?': type('1 <= number.integer <= 3650').or('null'),
  'allowedAddresses?': Ranges,
})
const EditRequest = type({
  'label?': terms.label,
  'protocolFeeBps?': terms.protocolFeeBps,
  'sponsoredGas?': terms.sponsoredGas,
  'allowedAddresses?': Ranges,
})
const RevokeRequest = type({ label: 'string' })
const RollRequest = type({ overlapSeconds: '0 <= number.integer <= 604800' })

/** A new key with its text. */
export type CreatedKeyView = { value: string; key: KeyView }

const RequestsQuery = type({ ...listQuery, 'refused?': FlagFilter('true lists only refused requests', true) })
const requestView = (request: KeyRequest) => ({ ...request, at: new Date(request.at).toISOString() })
export type RequestView = ReturnType<typeof requestView>

const semaphoreOf = ({ organization }: MemberSession): string => `api-keys:${organization.id}`

/** Returns a key of the member's organization. */
async function keyOf({ apiKeys }: Ports, { organization }: MemberSession, id: string): Promise<ApiKey> {
  const key = await apiKeys.load(id)
  if (key?.organizationId !== organization.id) throw new Refusal('NOT_FOUND', { message: 'No such API key' })
  return key
}

/**
 * Takes a permit from the store before a key is created, so concurrent requests cannot exceed the limit. A revoked key
 * needs no permit, so an organization can roll its keys for years.
 */
async function acquirePermit(ports: Ports, session: MemberSession, holder: string, most: number): Promise<void> {
  const { apiKeys, semaphores, now } = ports
  const keys = await apiKeys.ofOrganization(session.organization.id)
  const working = keys.filter((key) => !hasEnded(key, now()))
  const others = working.map(({ id }) => id)
  if (!(await semaphores.acquire(semaphoreOf(session), { holder, most, until: now() + creationMs, others })))
    throw new Refusal('VALIDATION_FAILED', { message: `No more than ${most} active keys` })
}

/** Refuses a new request for sponsored gas if the plan has none. A key that has it from an earlier plan keeps it. */
function checkSponsorship({ organization }: MemberSession, sponsoredGas: boolean | undefined): void {
  if (sponsoredGas && !maySponsorGas(organization)) throw new Refusal('NOT_IN_PLAN', { message: notSponsored })
}

const viewOf = async (ports: Ports, key: ApiKey) => (await keyViews(ports, [key]))[0]!

async function createKey(
  ports: Ports,
  session: MemberSession,
  keyRequest: Omit<RequestedApiKey, 'organizationId' | 'createdBy'>,
  most: number,
): Promise<CreatedKeyView> {
  assureRecent(ports, session)
  const whose = { organizationId: session.organization.id, createdBy: session.person.id }
  const created = newApiKey({ ...keyRequest, ...whose }, ports.now(), ports.faucet !== null)
  const { label, role, protocolFeeBps, sponsoredGas, id, expiresAt = null, allowedAddresses } = created.apiKey
  await acquirePermit(ports, session, id, most)
  const expires = expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }
  const details = { label, role, protocolFeeBps, sponsoredGas, ...expires, allowedAddresses }
  await audited(ports, session, { verb: 'key.create', target: id, details })
  const stored = await ports.apiKeys.save(created.apiKey)
  if (!stored) throw new Refusal('CHANGED_MEANWHILE')
  return { value: created.text, key: await viewOf(ports, stored) }
}

type Edit = typeof EditRequest.infer

async function editKey(ports: Ports, session: MemberSession, key: ApiKey, edit: Edit): Promise<ApiKey> {
  assureRecent(ports, session)
  if (!key.sponsoredGas) checkSponsorship(session, edit.sponsoredGas)
  const { label = key.label, protocolFeeBps = key.protocolFeeBps, sponsoredGas = key.sponsoredGas } = edit
  const { allowedAddresses = [] } = key
  const ranges = edit.allowedAddresses ?? allowedAddresses
  const isSame = ranges.join() === allowedAddresses.join()
  const edited = { ...key, label, protocolFeeBps, sponsoredGas, allowedAddresses: isSame ? allowedAddresses : ranges }
  const details = changesOf({ ...key, allowedAddresses }, edited)
  await audited(ports, session, { verb: 'key.edit', target: key.id, details })
  const saved = await ports.apiKeys.save(edited)
  if (!saved) throw new Refusal('CHANGED_MEANWHILE')
  return saved
}

type Ending = { at: number; verb: AuditVerb }

async function endKey(ports: Ports, session: MemberSession, key: ApiKey, { at, verb }: Ending): Promise<ApiKey> {
  const { apiKeys, semaphores, now } = ports
  const details = { label: key.label, endsAt: new Date(at).toISOString() }
  await audited(ports, session, { verb, target: key.id, details })
  const change = (current: ApiKey | null) => current && (hasEnded(current, at) ? null : { ...current, revokedAt: at })
  const ended = await rewrite(apiKeys, key.id, change, { first: key })
  if (!ended) throw new Refusal('CHANGED_MEANWHILE')
  if (ended.revokedAt === at && at <= now()) await semaphores.release(semaphoreOf(session), key.id)
  return ended
}

/** Creates a key with the terms of another key, which ends after an overlap. */
async function rollKey(ports: Ports, session: MemberSession, key: ApiKey, overlapSeconds: number) {
  const { now } = ports
  if (hasEnded(key, now())) throw new Refusal('VALIDATION_FAILED', { message: 'This key has ended: create a new one' })
  const { label, role, protocolFeeBps, sponsoredGas, createdAt, expiresAt = null, allowedAddresses = [] } = key
  // The new key gets the same lifetime as its predecessor.
  const terms = { expiresAt: expiresAt === null ? null : now() + expiresAt - createdAt, allowedAddresses }
  const created = await createKey(ports, session, { label, role, protocolFeeBps, sponsoredGas, ...terms }, rollingMax)
  await endKey(ports, session, key, { at: now() + overlapSeconds * 1_000, verb: 'key.roll' })
  return created
}

const readRoutes = (ports: Ports) =>
  new Elysia()
    .use(memberSession(ports, everybody))
    .get('/keys', async ({ session }) => keyViews(ports, await ports.apiKeys.ofOrganization(session.organization.id)))
    .get('/keys/:id/requests', async ({ session, params, request, set }) => {
      const { id } = await keyOf(ports, session, params.id)
      return requestsOf(ports, { request, set }, [id])
    })
    .get('/requests', async ({ session, request, set }) => {
      const keys = await ports.apiKeys.ofOrganization(session.organization.id)
      return requestsOf(
        ports,
        { request, set },
        keys.map(({ id }) => id),
      )
    })

/** Returns the position of a stored request. A client can choose its id, so requests of two keys can share one. */
export const positionOfRequest = ({ at, keyId, requestId }: KeyRequest): PagePosition => ({
  createdAt: at,
  id: `${keyId} ${requestId}`,
})

/** Returns a page of the stored requests of these keys. */
async function requestsOf({ requestLog }: Ports, exchange: Parameters<typeof pageOf>[0], keyIds: readonly string[]) {
  const { listed, filters } = readListQuery(exchange.request, RequestsQuery, true)
  const areRefused = filters.refused === true
  const page = await pageOf(
    exchange,
    { path: new URL(exchange.request.url).pathname, filters: areRefused ? { refused: 'true' } : {}, listed },
    (page) => requestLog.list({ keyIds, areRefused }, page),
    positionOfRequest,
  )
  return bodyOf(exchange, page, requestView)
}

const adminRoutes = (ports: Ports) =>
  new Elysia()
    .use(memberSession(ports, admins))
    .post(
      '/keys',
      async ({ session, body, set }) => {
        const { label, role, protocolFeeBps, sponsoredGas, endsInDays, allowedAddresses = [] } = body
        checkSponsorship(session, sponsoredGas)
        set.status = 201
        set.headers['cache-control'] = 'no-store'
        const expiresAt = endsInDays ? ports.now() + endsInDays * daysMs : null
        const keyRequest = { label, role, protocolFeeBps, sponsoredGas, expiresAt, allowedAddresses }
        return createKey(ports, session, keyRequest, keysMax)
      },
      { body: CreateRequest },
    )
    .patch(
      '/keys/:id',
      async ({ session, params, body }) => {
        const key = await keyOf(ports, session, params.id)
        return viewOf(ports, await editKey(ports, session, key, body))
      },
      { body: EditRequest },
    )
    .post(
      '/keys/:id/revoke',
      async ({ session, params, body }) => {
        const key = await keyOf(ports, session, params.id)
        if (body.label !== key.label)
          throw new Refusal('VALIDATION_FAILED', { message: 'label must be the label of the key' })
        return viewOf(ports, await endKey(ports, session, key, { at: ports.now(), verb: 'key.revoke' }))
      },
      { body: RevokeRequest },
    )
    .post(
      '/keys/:id/roll',
      async ({ session, params, body, set }) => {
        const created = await rollKey(ports, session, await keyOf(ports, session, params.id), body.overlapSeconds)
        set.status = 201
        set.headers['cache-control'] = 'no-store'
        return created
      },
      { body: RollRequest },
    )

/**
 * The keys of the organization. The text of a key is returned once, in the response that creates it (interface 2.2).
 */
export const keyRoutes = (ports: Ports) => new Elysia().use(readRoutes(ports)).use(adminRoutes(ports))
