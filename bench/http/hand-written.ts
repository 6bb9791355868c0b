import { accountAddressOf, accountSaltOf } from '../../src/domain/chain/account'
import { chainKeyOf, isChainId } from '../../src/domain/chain/chain'
import { type Address, zeroAddress } from '../../src/domain/chain/hex'
import { apiKeyDigest, isApiKeyText } from '../../src/domain/tenant/api-key-format'
import { planOf, type RateClass } from '../../src/domain/tenant/organization'
import { failureBody, publicCode, Refusal, refusals } from '../../src/http/request/failure'
import { idempotent } from '../../src/http/request/idempotent'
import { type KeyWithOrganization, keyCache } from '../../src/http/request/key-gate'
import { rateLimits } from '../../src/http/request/limits'
import { readBody } from '../../src/http/request/read-body'
import { requestIdOf } from '../../src/http/request/request-id'
import { readAddress } from '../../src/http/views/address-parameter'
import { portsInMemory } from './memory'

/**
 * The two endpoints written by hand with full knowledge of the task, without a framework, a schema or further routes.
 * This is the fastest possible version.
 *
 * They do the same work as the service:
 * - They check the key's checksum, digest, role and rate, and read the store at most once a second.
 * - They keep the caller's request id.
 * - They accept JSON of limited size and depth, and check every field, with addresses by checksum and blocklist.
 * - They honour an `Idempotency-Key`.
 * - They make one write, for which two writers may race.
 * - They send the same headers, and count responses by route, status and duration.
 *
 * They call our own plain functions, because the comparison is about how these are combined.
 */
const ports = portsInMemory()
const { apiKeys, organizations, intents, accounts, blacklist, factory } = ports
const find = keyCache(async (digest) => {
  const key = await apiKeys.findByDigest(digest)
  const organization = key && key.revokedAt === null && (await organizations.load(key.organizationId))
  return organization ? { key, organization } : null
}, Date.now)
const countIn = rateLimits(Date.now, null)
const userForm = /^[^\p{Cc}\p{Cs}\uFFFD]{1,256}$/u
const salt = `0x${'11'.repeat(32)}` as const
const known = new Map<string, Address>()
const bodyBytesMax = 64 * 1024
const json = 'application/json; charset=utf-8'

type Headers = Record<string, string | number | undefined>
type Answered = { status: number; body: string | null }
type Answering<R extends Request> = (request: R, headers: Headers) => Promise<Answered>
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Returns a response for any failure, and counts every response by its route. */
function counted<R extends Request>(answer: Answering<R>): (request: R) => Promise<Response> {
  const statuses = new Float64Array(600)
  const durations = new Float64Array(bounds.length + 1)
  const sumSeconds = new Float64Array(1)
  return async (request) => {
    const startedAt = performance.now()
    const headers: Headers = { 'x-request-id': requestIdOf(request) }
    const { status, body } = await answer(request, headers).catch((error) => failed(error, headers))
    const seconds = (performance.now() - startedAt) / 1_000
    let place = 0
    while (place < bounds.length && seconds > bounds[place]!) place++
    durations[place]!++
    sumSeconds[0]! += seconds
    statuses[status]!++
    return new Response(body, { status, headers: headers as Record<string, string> })
  }
}

function failed(error: unknown, headers: Headers): Answered {
  const isRefusal = error instanceof Refusal
  const code = isRefusal ? error.code : error instanceof SyntaxError ? 'MALFORMED_BODY' : 'INTERNAL_ERROR'
  const [status, message] = refusals[code]
  Object.assign(headers, { 'content-type': json, 'x-error-code': publicCode(code), 'cache-control': 'no-store' })
  if (isRefusal) Object.assign(headers, error.headers)
  return { status, body: JSON.stringify(failureBody(status, isRefusal ? error.message : message)) }
}

async function enter(request: Request, rateClass: RateClass, headers: Headers): Promise<KeyWithOrganization> {
  const text = request.headers.get('x-api-key')
  if (!text) throw new Refusal('MISSING_API_KEY')
  const found = find(apiKeyDigest(text), () => isApiKeyText(text))
  const owned = found instanceof Promise ? await found : found
  if (!owned) throw new Refusal('INVALID_API_KEY')
  countIn(owned.key.id, rateClass, planOf(owned.organization).rates, headers)
  if (owned.key.role !== 'CLIENT') throw new Refusal('INSUFFICIENT_PERMISSIONS')
  if (Date.now() - (owned.key.lastUsedAt ?? 0) > 60_000) owned.key.lastUsedAt = Date.now()
  return owned
}

const addressIn = (value: unknown): Address => {
  const address = typeof value === 'string' ? readAddress(value) : null
  if (!address) throw new Refusal('VALIDATION_FAILED')
  return address
}

async function put(request: Request, headers: Headers): Promise<Answered> {
  const owned = await enter(request, 'W', headers)
  const body = (await readBody(request, bodyBytesMax)) as Record<string, unknown> | null
  const userId = body?.['userId']
  const targetChainId = body?.['targetChainId'] as number
  if (typeof userId !== 'string' || !userForm.test(userId)) throw new Refusal('VALIDATION_FAILED')
  if (!isChainId(targetChainId)) throw new Refusal('VALIDATION_FAILED')
  const targetTokenAddress = addressIn(body!['targetTokenAddress'])
  const targetAddress = addressIn(body!['targetAddress'])
  const refund = body!['refundAddress']
  const refundAddress = refund === undefined ? undefined : refund === null ? null : addressIn(refund)
  const target = {
    userId,
    targetChainId,
    targetTokenAddress,
    targetAddress,
    ...(refund !== undefined && { refundAddress }),
  }
  headers['content-type'] = json
  headers['cache-control'] = 'private, no-cache'
  if (request.headers.get('idempotency-key') === null) return write(owned, target)
  const set = { headers, status: 200 }
  const caller = { organization: owned.organization } as never
  const exchange = { request, path: '/api/deposit-intents', set }
  const text = await idempotent(ports.idempotency, Date.now, exchange, { caller, body: target }, async () => {
    const { status, body: view } = await write(owned, target)
    return { status: status as 200, view: JSON.parse(view!) }
  })
  return { status: set.status, body: text }
}

type Intent = NonNullable<Awaited<ReturnType<typeof intents.load>>>
type Target = Pick<Intent, 'userId' | 'targetChainId' | 'targetTokenAddress' | 'targetAddress'> & {
  refundAddress?: Address | null | undefined
}

async function write({ key, organization }: KeyWithOrganization, target: Target): Promise<Answered> {
  const { userId, targetChainId, targetTokenAddress, targetAddress } = target
  let id = known.get(userId)
  if (!id) {
    const accountSalt = accountSaltOf(salt, userId)
    id = accountAddressOf({ ...factory, accountSalt })
    const owner = { organizationId: organization.id, userId, accountSalt, canonicalChainId: targetChainId }
    await accounts.save({ id, version: 0, ...owner, label: null, createdAt: Date.now(), updatedAt: Date.now() })
    known.set(userId, id)
  }
  const isLost = targetAddress === zeroAddress || targetAddress === id || targetAddress === targetTokenAddress
  if (isLost || blacklist.isListed('ADDRESS', targetChainId, targetAddress)) throw new Refusal('VALIDATION_FAILED')
  if (blacklist.isListed('TOKEN', targetChainId, targetTokenAddress)) throw new Refusal('VALIDATION_FAILED')
  for (;;) {
    const stored = await intents.load(id)
    if (stored && isSame(stored, target)) return { status: 200, body: bodyOf(stored) }
    const now = Date.now()
    const { protocolFeeBps, sponsoredGas } = key
    const terms = { apiKeyId: key.id, protocolFeeBps, sponsoredGas, refundAddress: null, createdAt: now }
    const begun = { id, version: 0, organizationId: organization.id, ...terms }
    const intent = await intents.save({ ...(stored ?? begun), ...target, updatedAt: now } as Intent)
    if (intent) return { status: stored ? 200 : 201, body: bodyOf(intent) }
  }
}

const isSame = (intent: Intent, { targetChainId, targetTokenAddress, targetAddress, refundAddress }: Target): boolean =>
  intent.targetChainId === targetChainId &&
  intent.targetTokenAddress === targetTokenAddress &&
  intent.targetAddress === targetAddress &&
  (refundAddress === undefined || intent.refundAddress === refundAddress)

const bodyOf = (intent: Intent): string =>
  JSON.stringify({
    userId: intent.userId,
    depositAddress: intent.id,
    targetChainId: intent.targetChainId,
    targetChainKey: chainKeyOf(intent.targetChainId),
    targetTokenAddress: intent.targetTokenAddress,
    targetAddress: intent.targetAddress,
    protocolFeeBps: intent.protocolFeeBps,
    sponsoredGas: intent.sponsoredGas,
    createdAt: new Date(intent.createdAt).toISOString(),
    updatedAt: new Date(intent.updatedAt).toISOString(),
    ...(intent.refundAddress && { refundAddress: intent.refundAddress }),
  })

async function get(request: Request & { params: { userId: string } }, headers: Headers): Promise<Answered> {
  await enter(request, 'R', headers)
  if (!userForm.test(request.params.userId)) throw new Refusal('VALIDATION_FAILED')
  const id = known.get(request.params.userId)
  const intent = id && (await intents.load(id))
  if (!intent) throw new Refusal('NO_DEPOSIT_INTENT')
  const body = bodyOf(intent)
  const etag = `W/"${(Bun.hash(body) as bigint).toString(16).padStart(16, '0')}"`
  headers['etag'] = etag
  headers['cache-control'] = 'private, no-cache'
  if (request.headers.get('if-none-match') === etag) return { status: 304, body: null }
  headers['content-type'] = json
  return { status: 200, body }
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  routes: {
    '/api/deposit-intents': { POST: counted(put) },
    '/api/users/:userId/deposit-intent': { GET: counted(get) },
  },
  fetch: counted(async () => {
    throw new Refusal('ROUTE_NOT_FOUND')
  }),
})
console.log(server.port)
