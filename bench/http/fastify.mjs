import Fastify from 'fastify'
import { addressForm, bodyOf, chainIds, enter, etagOf, get, put, requestId } from './peer.mjs'

const text = { type: 'string' }
const intent = {
  type: 'object',
  properties: {
    userId: text,
    depositAddress: text,
    targetChainId: { type: 'integer' },
    targetChainKey: text,
    targetTokenAddress: text,
    targetAddress: text,
    protocolFeeBps: { type: 'integer' },
    sponsoredGas: { type: 'boolean' },
    createdAt: text,
    updatedAt: text,
  },
}
const body = {
  type: 'object',
  required: ['userId', 'targetChainId', 'targetTokenAddress', 'targetAddress'],
  properties: {
    userId: { type: 'string', minLength: 1, maxLength: 256 },
    targetChainId: { type: 'integer', enum: chainIds },
    targetTokenAddress: { type: 'string', pattern: addressForm },
    targetAddress: { type: 'string', pattern: addressForm },
  },
}

const app = Fastify({ logger: false, bodyLimit: 65_536 })
app.addHook('onRequest', async (request, reply) => {
  reply.header('x-request-id', request.headers['x-request-id'] ?? requestId())
  const entered = enter(request.headers['x-api-key'])
  if (!entered.headers) return reply.code(entered.statusCode).send(entered)
  reply.headers(entered.headers)
})
app.setErrorHandler((error, _request, reply) => reply.code(400).send(bodyOf(400, error.message, 'Bad Request')))
app.post(
  '/api/deposit-intents',
  { schema: { body, response: { 200: intent, 201: intent } } },
  async (request, reply) => {
    const { status, view } = await put(request.body)
    reply.code(status)
    return view
  },
)
app.get('/api/users/:userId/deposit-intent', async (request, reply) => {
  const view = await get(request.params.userId)
  if (!view) return reply.code(404).send(bodyOf(404, 'No deposit intent for this user', 'Not Found'))
  const text = JSON.stringify(view)
  const etag = etagOf(text)
  reply.header('etag', etag)
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.type('application/json').send(text)
})
await app.listen({ port: 0, host: '127.0.0.1' })
console.log(app.server.address().port)
