// A wallet that takes deposits: the card shows an address, and follows deposits to their end. API is the URL of a
// Switchyard and KEY its API key, which never leaves this process.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { ApiError, Switchyard } from '@switchyard/client'
import { depositRoutes, nodeListener } from '@switchyard/react/server'

const { API, KEY, PORT = '4300' } = process.env
if (!API || !KEY) {
  console.error('Set API and KEY to the address and a key of a Switchyard: see README.md.')
  process.exit(1)
}
const client = new Switchyard({ baseUrl: API, apiKey: KEY })

/**
 * The destination for all users' money: USDC on Arbitrum, in this wallet's own account. Money that cannot be delivered
 * is refunded to `refundAddress` on the chain where it arrived. Without it an operator can refund nothing.
 */
const target = /** @type {const} */ ({
  targetChainId: 42161,
  targetTokenAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  targetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
  refundAddress: '0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9',
})

/** The stored intent of each user. A real wallet stores the intent when it creates the account, and records that. */
const intents = new Map()
/** Stores the intent once per user; a failed attempt is repeated. */
function withIntent(userId) {
  const known = intents.get(userId) ?? client.putDepositIntent({ userId, ...target })
  // Every visitor is a user here, so the oldest entries are dropped. Storing an intent again changes nothing.
  intents.delete(userId)
  intents.set(userId, known)
  if (intents.size > 10_000) intents.delete(intents.keys().next().value)
  return known.catch((error) => {
    if (intents.get(userId) === known) intents.delete(userId)
    throw error
  })
}

/** A real wallet has accounts. Here every visitor is a user, named by a cookie. */
const userIn = (cookie) => /(?:^|; )wallet=([\w-]{36})(?:;|$)/.exec(cookie ?? '')?.[1] ?? null

/** Logs the service's error for us. The person gets only a temporary failure. */
function log(error) {
  console.error(error instanceof ApiError ? `${error.code} ${error.requestId}: ${error.message}` : error)
}

const answer = nodeListener(
  depositRoutes({
    client,
    log,
    async userOf(request) {
      const userId = userIn(request.headers.get('cookie'))
      if (userId !== null) await withIntent(userId)
      return userId
    },
  }),
)

const files = { '/page.js': 'text/javascript', '/page.css': 'text/css' }
const policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"
const read = (name) => readFile(new URL(name, import.meta.url), 'utf8')

async function sendPage(request, response) {
  const known = userIn(request.headers.cookie)
  const userId = known ?? randomUUID()
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }
  const cookie = `wallet=${userId}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000`
  response.writeHead(200, known ? headers : { ...headers, 'set-cookie': cookie })
  response.end((await read('page.html')).replace('{userId}', userId))
}

const server = createServer(async (request, response) => {
  try {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === '/') return await sendPage(request, response)
    if (pathname.startsWith('/switchyard/') && (await answer(request, response))) return
    const type = files[pathname]
    if (!type) return response.writeHead(404).end()
    const file = await read(`dist${pathname}`)
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(file)
  } catch (error) {
    log(error)
    if (!response.headersSent) response.writeHead(503, { 'retry-after': '5' })
    response.end()
  }
})
server.on('error', (error) => {
  const isTaken = /** @type {NodeJS.ErrnoException} */ (error).code === 'EADDRINUSE'
  console.error(isTaken ? `Port ${PORT} is in use: set PORT to another one.` : error)
  process.exit(1)
})
server.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  console.log(`http://127.0.0.1:${port}`)
})
