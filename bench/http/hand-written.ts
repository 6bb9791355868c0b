import { accountAddressOf, accountSaltOf } from '../../src/domain/account'
import { apiKeyDigest, isApiKeyText } from '../../src/domain/api-key-format'
import { chainKeyOf, isChainId } from '../../src/domain/chain'
import type { Address } from '../../src/domain/hex'
import { requestIdOf } from '../../src/http/request-id'
import { readAddress } from '../../src/http/views/sent-address'
import { benchKey, portsInMemory } from './memory'

/**
 * The two endpoints as somebody would write them by hand who knows everything in advance: no framework, no schema, no
 * second route. The same work: key with checksum, digest and rate, the caller's own request id, a body of a limited
 * size that is checked, one stored write, the same headers, and answers counted by status with their durations. It is
 * the limit of what can be had. Our own code where it is a plain function: what is compared is how it is put together.
 */
const { intents, accounts, factory } = portsInMemory()
const digest = apiKeyDigest(benchKey)
const userForm = /^[^\p{Cc}\p{Cs}\uFFFD]{1,256}$/u
const salt = `0x${'11'.repeat(32)}` as const
const known = new Map<string, Address>()
const bodyBytesMax = 64 * 1024
let fullAt = 0

const answered = new Float64Array(600)
const durations = new Float64Array(14)
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Answering<R extends Request> = (request: R) => Promise<Response>

/** Any failure is answered; every answer is counted. */
const counted =
  <R extends Request>(answer: Answering<R>): Answering<R> =>
  async (request) => {
    const startedAt = performance.now()
    const response = await answer(request).catch((error) =>
      error instanceof SyntaxError
        ? failure(request, 400, 'Malformed JSON body', 'Bad Request', 'MALFORMED_BODY')
        : failure(request, 500, 'Internal server error', 'Internal Server Error', 'INTERNAL_ERROR'),
    )
    const seconds = (performance.now() - startedAt) / 1_000
    let place = 0
    while (place < bounds.length && seconds > bounds[place]!) place++
    durations[place]!++
    answered[response.status]!++
    return response
  }

const failure = (request: Request, statusCode: number, message: string, error: string, code: string): Response =>
  new Response(JSON.stringify({ statusCode, message, error }), {
    status: statusCode,
    headers: { 'content-type': 'application/json', 'x-request-id': requestIdOf(request), 'x-error-code': code },
  })

function enter(request: Request): Record<string, string> | Response {
  const key = request.headers.get('x-api-key')
  if (!key) return failure(request, 401, 'Missing API key', 'Unauthorized', 'MISSING_API_KEY')
  if (!isApiKeyText(key) || apiKeyDigest(key) !== digest)
    return failure(request, 401, 'Invalid API key', 'Unauthorized', 'INVALID_API_KEY')
  const [now, stepMs, burst] = [Date.now(), 1e-6, 1e9]
  const waitMs = Math.max(fullAt - now, 0)
  if (waitMs > burst * stepMs) return failure(request, 429, 'Quota exceeded', 'Too Many Requests', 'RATE_LIMITED')
  fullAt = Math.max(fullAt, now) + stepMs
  return {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-cache',
    'x-request-id': requestIdOf(request),
    'ratelimit-limit': `${burst}`,
    'ratelimit-remaining': `${Math.floor(burst - waitMs / stepMs) - 1}`,
    'ratelimit-reset': `${Math.ceil(waitMs / 1_000)}`,
  }
}

async function put(request: Request): Promise<Response> {
  const entered = enter(request)
  if (entered instanceof Response) return entered
  if (!request.headers.get('content-type')?.startsWith('application/json'))
    return failure(
      request,
      415,
      'Content-Type must be application/json',
      'Unsupported Media Type',
      'UNSUPPORTED_MEDIA_TYPE',
    )
  if (Number(request.headers.get('content-length') ?? bodyBytesMax + 1) > bodyBytesMax)
    return failure(request, 413, 'Request body too large', 'Payload Too Large', 'PAYLOAD_TOO_LARGE')
  const {
    userId,
    targetChainId,
    targetTokenAddress: token,
    targetAddress: recipient,
  } = JSON.parse(await request.text())
  const [targetTokenAddress, targetAddress] = [readAddress(token), readAddress(recipient)]
  const isUser = typeof userId === 'string' && userForm.test(userId)
  if (!isUser || !isChainId(targetChainId) || !targetTokenAddress || !targetAddress)
    return failure(request, 400, 'Invalid body', 'Bad Request', 'VALIDATION_FAILED')
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
  if (!intent) return failure(request, 404, 'No deposit intent for this user', 'Not Found', 'NO_DEPOSIT_INTENT')
  const body = bodyOf(intent)
  const etag = `W/"${Bun.SHA256.hash(body, 'hex').slice(0, 16)}"`
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: entered })
  return new Response(body, { headers: { ...entered, etag } })
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  routes: {
    '/api/deposit-intents': { POST: counted(put) },
    '/api/users/:userId/deposit-intent': { GET: counted(get) },
  },
  fetch: (request) => failure(request, 404, 'Route not found', 'Not Found', 'ROUTE_NOT_FOUND'),
})
console.log(server.port)
