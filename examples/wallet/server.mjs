// A wallet that takes deposits: the page shows an address, and follows deposits until they arrive. API and KEY are the
// URL and the key of a Switchyard; the key never leaves this process.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { ApiError, Switchyard } from '@switchyard/client'
import { renderSVG } from 'uqr'
import { changesOf } from './changes.mjs'
import { depositsOf } from './deposits.mjs'

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

/** The chains by key. Their names and explorers do not change while this runs. Fetched on first use. */
let chains = null
async function chainsByKey() {
  chains ??= new Map((await client.listChains()).map((chain) => [chain.chainKey, chain]))
  return chains
}

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

/** Returns everything that the page shows. */
async function shownTo(userId) {
  const [byKey] = await Promise.all([chainsByKey(), withIntent(userId)])
  const [{ depositAddress, accepts, notices }, deposits] = await Promise.all([
    client.getDepositAddress(userId),
    depositsOf(client, userId, byKey),
  ])
  const tokens = accepts
    .filter(({ acceptsDeposits }) => acceptsDeposits)
    .map(({ fromTokenSymbol, fromChainKey, fromTokenDecimals, minimumAmountIn, paymentUri }) => ({
      chainName: byKey.get(fromChainKey)?.name ?? fromChainKey,
      symbol: fromTokenSymbol,
      decimals: fromTokenDecimals,
      minimumAmountIn,
      paymentUri,
    }))
  return { depositAddress, qr: renderSVG(depositAddress), tokens, notices, deposits }
}

/** Logs the service's error for us. The person gets only a temporary failure. */
function log(error) {
  console.error(error instanceof ApiError ? `${error.code} ${error.requestId}: ${error.message}` : error)
}
const listen = changesOf(client, log)

/** A real wallet has accounts. Here every visitor is a user, named by a cookie. */
function userOf(request, response) {
  const [, known] = /(?:^|; )wallet=([\w-]{36})(?:;|$)/.exec(request.headers.cookie ?? '') ?? []
  if (known) return known
  const userId = randomUUID()
  response.setHeader('set-cookie', `wallet=${userId}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000`)
  return userId
}

const script = 'text/javascript'
const files = {
  '/': ['page.html', 'text/html'],
  '/page.js': ['page.js', script],
  '/feed.js': ['feed.js', script],
  '/words.js': ['words.js', script],
}
const policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

const server = createServer(async (request, response) => {
  try {
    const userId = userOf(request, response)
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === '/changes') return listen(userId, response)
    if (pathname === '/deposit') {
      const shown = JSON.stringify(await shownTo(userId))
      return response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(shown)
    }
    const [name, type] = files[pathname] ?? []
    if (!name) return response.writeHead(404).end()
    const file = await readFile(new URL(name, import.meta.url))
    const headers = { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy }
    response.writeHead(200, headers).end(file)
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
