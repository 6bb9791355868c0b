import type { Address } from 'viem'
import type { ChainId } from '../../domain/chain/chain'
import { lifiCodes } from '../../protocols/lifi/lifi-answers'
import type { BridgeLedger } from '../bridge/bridge-ledger'
import { bridgeAddress, multicall3Address } from '../chains/contracts'
import type { DevChain } from '../chains/dev-chain'
import { tokenOf } from '../chains/tokens'
import { devnetClock } from '../devnet-clock'
import type { Fault, Faults } from '../faults'
import type { RateLimits } from '../rate-limits'
import { lifiBridges } from './lifi-bridges'
import { lifiError, noRoute } from './lifi-error'
import { quote, quoteFaults, readQuoteRequest } from './lifi-quote'
import { status } from './lifi-status'
import { lifiChain, lifiChains, lifiToken, lifiTokens } from './lifi-token'
import type { QuoteRequest } from './quote-request'

const slowMs = 20_000
const flakyFailures = 2
/** The faults that do not concern a request; by default the faults that concern one kind of request alone. */
const ignoredBy: Record<string, string[]> = {
  '/v1/quote': ['NO_PRICE'],
  '/v1/status': [...quoteFaults.filter((fault) => fault !== 'UNREADABLE'), 'NO_PRICE'],
  '/v1/token': quoteFaults,
}

type LifiServer = { url: string; stop(): Promise<void> }

/** Answers as LI.FI's API does, with the transactions of the devnet's bridge. */
export function startLifiServer(
  chains: ReadonlyMap<ChainId, DevChain>,
  ledger: BridgeLedger,
  { faults, limits }: { faults: Faults; limits: RateLimits },
  port = 0,
): LifiServer {
  const sandboxFault = sandboxFaults(ledger)

  const answerQuote = async (query: URLSearchParams, fault: Fault | null): Promise<Response> => {
    const request = readQuoteRequest(query)
    if (request instanceof Response) return request
    const refused = sandboxFault(request)
    if (refused) return refused
    if (fault?.fault === 'NO_ROUTE') return noRoute('across', 'NO_POSSIBLE_ROUTE', 'No route')
    const gasPriceWei = BigInt(await chains.get(request.fromChain)!.rpc.ask('eth_gasPrice'))
    const now = Math.floor(devnetClock() / 1000)
    return quote(request, { gasPriceWei, now, fault: fault?.fault ?? null })
  }

  const answer = async ({ pathname, searchParams }: URL, fault: Fault | null): Promise<Response> => {
    switch (pathname) {
      case '/v1/quote':
        return answerQuote(searchParams, fault)
      case '/v1/status':
        if (fault?.fault === 'UNREADABLE') return Response.json({ status: 'TELEPORTED' })
        return status(searchParams, chains, ledger)
      case '/v1/token':
        return fault?.fault === 'NO_PRICE' ? notFound() : answerToken(searchParams)
      case '/v1/tokens':
        return Response.json(lifiTokens(searchParams.get('chains')))
      case '/v1/chains':
        return Response.json(lifiChains(bridgeAddress, multicall3Address))
      case '/v1/tools':
        return Response.json({
          bridges: lifiBridges.map(({ key, name }) => ({ key, name })),
          exchanges: [{ key: 'devswap', name: 'DevSwap' }],
        })
      default:
        return lifiError(404, lifiCodes.NOT_FOUND, 'Not found')
    }
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    idleTimeout: 120,
    fetch: async (request) => {
      const url = new URL(request.url)
      const limit = url.pathname === '/v1/quote' ? limits.take('lifi', devnetClock()) : null
      if (limit?.isRefused) return rateLimited(limit.headers)
      const fault = faults.take('lifi', ignoredBy[url.pathname] ?? [...quoteFaults, 'NO_PRICE'])
      if (fault?.fault === 'SLOW') await Bun.sleep(fault.ms ?? slowMs)
      const answered = (fault && faultAnswers[fault.fault]?.()) ?? (await answer(url, fault))
      for (const [name, value] of Object.entries(limit?.headers ?? {})) answered.headers.set(name, value)
      return answered
    },
    error: (error) => lifiError(500, 1000, error.message),
  })
  return { url: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) }
}

/** Makes the function that answers 503 if a sandbox token forces that, and returns null for any other request. */
function sandboxFaults(ledger: BridgeLedger): (request: QuoteRequest) => Response | null {
  const failed = new Map<Address, number>()
  ledger.onLock(({ lock }) => failed.delete(lock.depositor))

  return ({ fromToken, fromAddress }) => {
    if (fromToken.symbol === 'SY-DOWN') return unavailable()
    if (fromToken.symbol !== 'SY-FLAKY') return null
    const times = failed.get(fromAddress) ?? 0
    if (times >= flakyFailures) return null
    failed.set(fromAddress, times + 1)
    return unavailable()
  }
}

function answerToken(query: URLSearchParams): Response {
  const chainId = lifiChain(query.get('chain'))
  const token = chainId && tokenOf(chainId, query.get('token') ?? '')
  return token ? Response.json(lifiToken(token)) : notFound()
}

const notFound = (): Response => lifiError(404, lifiCodes.NOT_FOUND, 'Token not found')

const rateLimited = (headers: Record<string, string>): Response =>
  Response.json({ message: 'Rate limit exceeded', code: 1005 }, { status: 429, headers })

const unavailable = (): Response => lifiError(503, 1004, 'Service unavailable')

const faultAnswers: Record<string, () => Response> = {
  REFUSED: () => lifiError(400, 1099, 'The simulation failed'),
  DOWN: unavailable,
  GARBAGE: () => new Response('<html><body>Bad gateway</body></html>', { headers: { 'content-type': 'text/html' } }),
  RATE_LIMIT: () =>
    rateLimited({
      'retry-after': '1',
      'ratelimit-limit': '12000',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '1',
    }),
}
