import { type ChainId, chainKeys, chains as chainTable } from '../../domain/chain/chain'
import type { Hash } from '../../domain/chain/hex'
import { relayDepository } from '../../protocols/relay/relay-order'
import { hasPrice, tokenOf } from '../chains/tokens'
import { devnetClock } from '../devnet-clock'
import type { Fault, Faults } from '../faults'
import type { RateLimits } from '../rate-limits'
import { readRelayRequest, relayError, relayQuote } from './relay-quote'
import type { RelaySolver } from './relay-solver'

const slowMs = 20_000
const solverFaults = ['REFUND']
const quoteFaults = ['NO_ROUTE', 'UNREADABLE', 'REFUSED']
/** The faults that do not concern a request; by default the faults that concern one kind of request alone. */
const ignoredBy: Record<string, string[]> = {
  '/quote/v2': ['NO_PRICE'],
  '/intents/status/v3': ['NO_ROUTE', 'REFUSED', 'NO_PRICE'],
  '/currencies/token/price': quoteFaults,
}

type RelayServer = { url: string; stop(): Promise<void> }

/** Starts a stand-in for Relay's API, with orders that the devnet's solver fills. */
export function startRelayServer(
  solver: RelaySolver,
  { faults, limits }: { faults: Faults; limits: RateLimits },
  port = 0,
): RelayServer {
  const quote = async (body: Record<string, unknown>, fault: Fault | null): Promise<Response> => {
    const request = readRelayRequest(body)
    if (request instanceof Response) return request
    if (fault?.fault === 'NO_ROUTE') return relayError(400, 'NO_SWAP_ROUTES_FOUND', 'No routes found')
    const answer = await relayQuote(request, Math.floor(devnetClock() / 1000))
    if (!answer) return relayError(400, 'AMOUNT_TOO_LOW', 'Amount is too low')
    solver.offer(answer.offered)
    return Response.json(answer.body)
  }

  const status = (requestId: string | null): Response => {
    const run = solver.byRequest.get((requestId ?? '') as Hash)
    if (!run) return relayError(404, 'REQUEST_NOT_FOUND', 'Request not found')
    return Response.json({
      status: run.status,
      inTxHashes: run.inHash ? [run.inHash] : [],
      txHashes: run.outHash ? [run.outHash] : [],
      originChainId: run.parties.fromChainId,
      destinationChainId: run.parties.toChainId,
      updatedAt: devnetClock(),
    })
  }

  const answer = async (request: Request, { pathname, searchParams }: URL, fault: Fault | null): Promise<Response> => {
    switch (`${request.method} ${pathname}`) {
      case 'POST /quote/v2':
        return quote(await bodyOf(request), fault)
      case 'GET /intents/status/v3':
        return status(searchParams.get('requestId'))
      case 'POST /transactions/index':
        return Response.json({ message: 'Success' })
      case 'GET /chains':
        return Response.json({ chains: chainKeys.map(chainView) })
      case 'GET /currencies/token/price': {
        const token = tokenOf(Number(searchParams.get('chainId')) as ChainId, searchParams.get('address') ?? '')
        return token && hasPrice(token)
          ? Response.json({ price: Number(token.priceUsd) })
          : relayError(400, 'UNSUPPORTED_CURRENCY', 'Currency is not supported')
      }
      default:
        return relayError(404, 'NOT_FOUND', 'Not found')
    }
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    idleTimeout: 120,
    fetch: async (request) => {
      const url = new URL(request.url)
      const limit = url.pathname === '/quote/v2' ? limits.take('relay', devnetClock()) : null
      if (limit?.isRefused) return rateLimited(limit.headers)
      const fault = faults.take('relay', [
        ...solverFaults,
        ...(ignoredBy[url.pathname] ?? [...quoteFaults, 'NO_PRICE']),
      ])
      if (fault?.fault === 'SLOW') await Bun.sleep(fault.ms ?? slowMs)
      const answered = (fault && faultAnswers[fault.fault]?.(url)) ?? (await answer(request, url, fault))
      for (const [name, value] of Object.entries(limit?.headers ?? {})) answered.headers.set(name, value)
      return answered
    },
    error: (error) => relayError(500, 'UNKNOWN_ERROR', error.message),
  })
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

const faultAnswers: Record<string, (url: URL) => Response> = {
  DOWN: () => relayError(503, 'SERVICE_UNAVAILABLE', 'Service unavailable'),
  GARBAGE: () => new Response('<html><body>Bad gateway</body></html>', { headers: { 'content-type': 'text/html' } }),
  RATE_LIMIT: () => rateLimited({ 'retry-after': '1' }),
  UNREADABLE: ({ pathname }) =>
    Response.json(
      pathname === '/quote/v2'
        ? { steps: [{ id: 'bond', kind: 'transaction', items: [] }], details: {} }
        : { status: 'teleported' },
    ),
  REFUSED: () => relayError(400, 'SIMULATION_FAILED', 'The simulation failed'),
  NO_PRICE: () => relayError(400, 'UNSUPPORTED_CURRENCY', 'Currency is not supported'),
}

const rateLimited = (headers: Record<string, string>): Response =>
  Response.json({ message: 'Too many requests' }, { status: 429, headers })

async function bodyOf(request: Request): Promise<Record<string, unknown>> {
  const body = await request.json().catch(() => null)
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
}

const chainView = (key: (typeof chainKeys)[number]) => ({
  id: chainTable[key].id,
  name: chainTable[key].relayName,
  displayName: chainTable[key].name,
  disabled: false,
  depositEnabled: true,
  protocol: { v2: { chainId: chainTable[key].relayName, depository: relayDepository } },
})
