// A wallet that takes deposits: the page shows an address, and follows what is sent there until it has arrived.
// API and KEY are the address and the key of a Switchyard; the key never leaves this process.
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

/** Where the money of all users goes: USDC on Arbitrum, to this wallet's own account. */
const target = /** @type {const} */ ({
  targetChainId: 42161,
  targetTokenAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  targetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
})

/** What a person is told of a deposit, by its stage and then by the status of its execution. */
const stages = {
  CONFIRMING: 'Seen on the chain, waiting for confirmations',
  WAITING_FOR_INTENT: 'Received',
  QUEUED: 'Received, waiting for an earlier one',
  PAUSED: 'Received, paused for the moment',
  ROUTING: 'Received',
  ORPHANED: 'The chain took it back: the money is with the sender',
}
const statuses = { PENDING: 'On its way', RUNNING: 'On its way', FAILED: 'Delayed, tried again', SUCCESS: 'Arrived' }
const unknown = 'Being looked at: nothing is lost'

/** The names of the chains, which do not change while this runs. They are asked for when they are first needed. */
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
      // Atomic units are no amount to a person, so without the decimals there is none.
      amount: deposit.fromTokenDecimals === null ? null : formatUnits(deposit.amountIn, deposit.fromTokenDecimals),
      token: `${deposit.fromTokenSymbol} on ${names.get(deposit.fromChainKey)}`,
      text: (status ? statuses[status] : stages[deposit.stage]) ?? unknown,
      isArrived: status === 'SUCCESS',
    }
  })
}

/** By user, the intent that was put. In a real wallet it is put when the account is made, and noted there. */
const intents = new Map()
/** Puts the intent once for each user; one that failed is put again. */
function withIntent(userId) {
  const known = intents.get(userId) ?? client.putDepositIntent({ userId, ...target })
  // Whoever comes is a user here, so the oldest are forgotten: to put an intent again changes nothing.
  intents.delete(userId)
  intents.set(userId, known)
  if (intents.size > 10_000) intents.delete(intents.keys().next().value)
  return known.catch((error) => {
    if (intents.get(userId) === known) intents.delete(userId)
    throw error
  })
}

/** Everything that the page shows. */
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

/** One stream serves all pages that are open: a key may only have a few. By user, who wants to hear. */
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

/** A real wallet has accounts. Here whoever comes is a user, whom a cookie names. */
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
    // What the service said is for us; the person is told that it will be better later.
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
