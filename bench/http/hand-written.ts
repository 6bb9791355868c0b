import { accountAddressOf, accountSaltOf } from '../../src/domain/account'
import { apiKeyDigest, isApiKeyText } from '../../src/domain/api-key-format'
import { chainKeyOf, isChainId } from '../../src/domain/chain'
import type { Address } from '../../src/domain/hex'
import { readAddress } from '../../src/http/views/sent-address'
import { benchKey, portsInMemory } from './memory'

/**
 * The two endpoints as somebody would write them by hand who knows everything in advance: no framework, no schema, no
 * second route. The same work: key with checksum, digest and rate, a body that is checked, one stored write, the same
 * headers. It is the limit of what can be had.
 */
const { intents, accounts, factory } = portsInMemory()
const digest = apiKeyDigest(benchKey)
const userForm = /^[^\p{Cc}\p{Cs}\uFFFD]{1,256}$/u
const salt = `0x${'11'.repeat(32)}` as const
const known = new Map<string, Address>()
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
let fullAt = 0

const requestId = (): string => {
  let id = 'req_'
  for (const byte of crypto.getRandomValues(new Uint8Array(22))) id += digits[byte % 62]
  return id
}

const failure = (statusCode: number, message: string, error: string, code: string): Response =>
  new Response(JSON.stringify({ statusCode, message, error }), {
    status: statusCode,
    headers: { 'content-type': 'application/json', 'x-request-id': requestId(), 'x-error-code': code },
  })

function enter(request: Request): Record<string, string> | Response {
  const key = request.headers.get('x-api-key')
  if (!key) return failure(401, 'Missing API key', 'Unauthorized', 'MISSING_API_KEY')
  if (!isApiKeyText(key) || apiKeyDigest(key) !== digest)
    return failure(401, 'Invalid API key', 'Unauthorized', 'INVALID_API_KEY')
  const [now, stepMs, burst] = [Date.now(), 1e-6, 1e9]
  const waitMs = Math.max(fullAt - now, 0)
  if (waitMs > burst * stepMs) return failure(429, 'Quota exceeded', 'Too Many Requests', 'RATE_LIMITED')
  fullAt = Math.max(fullAt, now) + stepMs
  return {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-cache',
    'x-request-id': requestId(),
    'ratelimit-limit': `${burst}`,
    'ratelimit-remaining': `${Math.floor(burst - waitMs / stepMs) - 1}`,
    'ratelimit-reset': `${Math.ceil(waitMs / 1_000)}`,
  }
}

async function put(request: Request): Promise<Response> {
  const entered = enter(request)
  if (entered instanceof Response) return entered
  if (!request.headers.get('content-type')?.startsWith('application/json'))
    return failure(415, 'Content-Type must be application/json', 'Unsupported Media Type', 'UNSUPPORTED_MEDIA_TYPE')
  const {
    userId,
    targetChainId,
    targetTokenAddress: token,
    targetAddress: recipient,
  } = JSON.parse(await request.text())
  const [targetTokenAddress, targetAddress] = [readAddress(token), readAddress(recipient)]
  const isUser = typeof userId === 'string' && userForm.test(userId)
  if (!isUser || !isChainId(targetChainId) || !targetTokenAddress || !targetAddress)
    return failure(400, 'Invalid body', 'Bad Request', 'VALIDATION_FAILED')
  const target = { userId, targetChainId, targetTokenAddress, targetAddress }
  let id = known.get(userId)
  if (!id) {
    const accountSalt = accountSaltOf(salt, userId)
    id = accountAddressOf({ ...factory, accountSalt })
    const times = { createdAt: Date.now(), updatedAt: Date.now() }
    const canonicalChainId = targetChainId
    await accounts.save({
      id,
      version: 0,
      organizationId: 'org_1',
      userId,
      accountSalt,
      canonicalChainId,
      label: null,
      ...times,
    })
    known.set(userId, id)
  }
  const stored = await intents.load(id)
  const now = Date.now()
  const terms = { apiKeyId: 'key_1', protocolFeeBps: 50, sponsoredGas: false, refundAddress: null }
  const fresh = { id, version: 0, organizationId: 'org_1', ...target, ...terms, createdAt: now, updatedAt: now }
  const intent = (await intents.save(stored ? { ...stored, ...target, updatedAt: now } : fresh))!
  return new Response(bodyOf(intent), { status: stored ? 200 : 201, headers: entered })
}

type Intent = NonNullable<Awaited<ReturnType<typeof intents.load>>>
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
  })

async function get(request: Request & { params: { userId: string } }): Promise<Response> {
  const entered = enter(request)
  if (entered instanceof Response) return entered
  const id = known.get(request.params.userId)
  const intent = id && (await intents.load(id))
  if (!intent) return failure(404, 'No deposit intent for this user', 'Not Found', 'NO_DEPOSIT_INTENT')
  const body = bodyOf(intent)
  const etag = `W/"${Bun.SHA256.hash(body, 'hex').slice(0, 16)}"`
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: entered })
  return new Response(body, { headers: { ...entered, etag } })
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  routes: { '/api/deposit-intents': { POST: put }, '/api/users/:userId/deposit-intent': { GET: get } },
  fetch: () => failure(404, 'Route not found', 'Not Found', 'ROUTE_NOT_FOUND'),
})
console.log(server.port)
