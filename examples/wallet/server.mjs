// A wallet that takes deposits: the page shows an address, and follows deposits until they arrive. API and KEY are the
// URL and the key of a Switchyard; the key never leaves this process.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { ApiError, formatUnits, Switchyard } from '@switchyard/client'
import { renderSVG } from 'uqr'

const { API, KEY, PORT = '4300' } = process.env
if (!API || !KEY) {
  console.error('Set API and KEY to the address and a key of a Switchyard: see README.md.')
  process.exit(1)
}
const client = new Switchyard({ baseUrl: API, apiKey: KEY })

/** The destination for all users' money: USDC on Arbitrum, in this wallet's own account. */
const target = /** @type {const} */ ({
  targetChainId: 42161,
  targetTokenAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  targetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
})

/** The text shown for a deposit, by its stage and then by its execution's status. */
const stages = {
  CONFIRMING: 'Seen on the chain, waiting for confirmations',
  WAITING_FOR_INTENT: 'Received',
  QUEUED: 'Received, waiting for an earlier one',
  PAUSED: 'Received, paused for the moment',
  ROUTING: 'Received',
  ORPHANED: 'The network dropped it: the money is with the sender',
}
const statuses = {
  PENDING: 'On its way',
  RUNNING: 'On its way',
  FAILED: 'Delayed, will be retried',
  SUCCESS: 'Arrived',
}
const unknown = 'Being checked: nothing is lost'

/** The names of the chains, which do not change while this runs. Fetched on first use. */
let chainNames = null
async function namesOfChains() {
  chainNames ??= new Map((await client.listChains()).map(({ chainKey, name }) => [chainKey, name]))
  return chainNames
}

async function depositsOf(userId) {
  const [deposits, executions, names] = await Promise.all([
    client.listDeposits({ userId }).page(),
    client.listExecutions({ userId }).page(),
    namesOfChains(),
  ])
  const byId = new Map(executions.items.map((execution) => [execution.id, execution]))
  return deposits.items.map((deposit) => {
    const status = byId.get(deposit.executionId ?? '')?.status
    return {
      id: deposit.id,
      // Atomic units mean nothing to a person, so without decimals no amount is shown.
      amount: deposit.fromTokenDecimals === null ? null : formatUnits(deposit.amountIn, deposit.fromTokenDecimals),
      token: `${deposit.fromTokenSymbol} on ${names.get(deposit.fromChainKey)}`,
      text: (status ? statuses[status] : stages[deposit.stage]) ?? unknown,
      isArrived: status === 'SUCCESS',
    }
  })
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
  await withIntent(userId)
  const [{ depositAddress, accepts, notices }, deposits, names] = await Promise.all([
    client.getDepositAddress(userId),
    depositsOf(userId),
    namesOfChains(),
  ])
  const tokens = accepts
    .filter(({ acceptsDeposits }) => acceptsDeposits)
    .map(({ fromTokenSymbol, fromChainKey, fromTokenDecimals, minimumAmountIn, paymentUri }) => ({
      name: `${fromTokenSymbol} on ${names.get(fromChainKey)}`,
      least: minimumAmountIn === null ? null : formatUnits(minimumAmountIn, fromTokenDecimals),
      paymentUri,
    }))
  return { depositAddress, qr: renderSVG(depositAddress), tokens, notices, deposits }
}

/** One stream serves all open pages, because a key may have only a few. The listening pages, by user. */
const pages = new Map()
async function passOn() {
  const types = 'deposit.*,execution.*'
  const tellAll = () => {
    for (const userId of pages.keys()) tell(userId)
  }
  for await (const { data } of client.streamEvents({ types }, { onOpen: tellAll, onReset: tellAll }))
    if ('userId' in data) tell(data.userId)
}
function tell(userId) {
  for (const response of pages.get(userId) ?? []) response.write('data: changed\n\n')
}

function listen(userId, response) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).write(':\n\n')
  const own = pages.get(userId) ?? new Set()
  pages.set(userId, own.add(response))
  response.on('close', () => {
    own.delete(response)
    if (own.size === 0) pages.delete(userId)
  })
}

/** A real wallet has accounts. Here every visitor is a user, named by a cookie. */
function userOf(request, response) {
  const [, known] = /(?:^|; )wallet=([\w-]{36})(?:;|$)/.exec(request.headers.cookie ?? '') ?? []
  if (known) return known
  const userId = randomUUID()
  response.setHeader('set-cookie', `wallet=${userId}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000`)
  return userId
}

const files = { '/': ['page.html', 'text/html'], '/page.js': ['page.js', 'text/javascript'] }
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
    // The service's error is for us. The person gets only a temporary failure.
    console.error(error instanceof ApiError ? `${error.code} ${error.requestId}: ${error.message}` : error)
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
passOn().catch((error) => {
  console.error(error)
  process.exit(1)
})
