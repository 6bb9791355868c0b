import { chainKeys, chains } from '../../domain/chain/chain'
import type { Hash } from '../../domain/chain/hex'
import { finality } from '../../protocols/cctp/burn'
import { devnetClock } from '../devnet-clock'
import type { Fault, Faults } from '../faults'
import type { RateLimits } from '../rate-limits'
import type { CctpAttester } from './cctp-attester'
import { fees } from './cctp-fees'

const slowMs = 20_000
const allowance = 9_119_319.307502
/** Faults that concern no request. */
const burnFaults = ['LATE', 'WRONG', 'EXPIRED', 'FEE_ABOVE']

type CctpServer = { url: string; stop(): Promise<void> }

/** Starts a stand-in for Circle's API of CCTP, with the attestations of the devnet's burns. */
export function startCctpServer(
  attester: CctpAttester,
  { faults, limits }: { faults: Faults; limits: RateLimits },
  port = 0,
): CctpServer {
  const answer = async (request: Request, { pathname, searchParams }: URL): Promise<Response> => {
    const [, , resource = '', ...rest] = pathname.split('/')
    switch (`${request.method} ${resource}`) {
      case 'GET burn':
        return feesBetween(Number(rest[2]), Number(rest[3]))
      case 'GET fastBurn':
        return Response.json({ allowance, lastUpdated: new Date(devnetClock()).toISOString() })
      case 'GET messages': {
        const hash = searchParams.get('transactionHash') ?? ''
        const messages = await attester.messagesOf(Number(rest[0]), hash.toLowerCase() as Hash)
        return messages ? Response.json({ messages }) : failed(404, 'Message hash not found')
      }
      case 'POST reattest':
        return attester.reattest(rest[0] as Hash)
          ? Response.json({ message: 'Re-attestation successfully requested for nonce.', nonce: rest[0] })
          : failed(404, 'Nonce not found')
      default:
        return failed(404, 'Not found')
    }
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    idleTimeout: 120,
    fetch: async (request) => {
      const url = new URL(request.url)
      const limit = url.pathname.startsWith('/v2/burn/') ? limits.take('cctp', devnetClock()) : null
      if (limit?.isRefused) return rateLimited(limit.headers)
      const isAllowance = url.pathname.startsWith('/v2/fastBurn/')
      const fault = faults.take('cctp', isAllowance ? burnFaults : [...burnFaults, 'NO_ALLOWANCE'])
      if (fault?.fault === 'SLOW') await Bun.sleep(fault.ms ?? slowMs)
      return faultAnswer(fault, url) ?? answer(request, url)
    },
    error: (error) => failed(500, error.message),
  })
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

const failed = (code: number, error: string): Response => Response.json({ code, error }, { status: code })

const rateLimited = (headers: Record<string, string>): Response =>
  Response.json({ code: 429, error: 'Too many requests' }, { status: 429, headers })

const faultAnswers: Record<string, (url: URL) => Response> = {
  DOWN: () => failed(503, 'Service unavailable'),
  GARBAGE: () => new Response('<html><body>Bad gateway</body></html>', { headers: { 'content-type': 'text/html' } }),
  RATE_LIMIT: () => rateLimited({ 'retry-after': '1' }),
  UNREADABLE: ({ pathname }) =>
    Response.json(
      pathname.startsWith('/v2/messages/')
        ? { messages: [{ status: 'teleported' }] }
        : [{ finalityThreshold: 1_500, minimumFee: 0 }],
    ),
  REFUSED: () => failed(400, 'The request is refused'),
  NO_ALLOWANCE: () => Response.json({ allowance: 0, lastUpdated: new Date(devnetClock()).toISOString() }),
}

const faultAnswer = (fault: Fault | null, url: URL): Response | null =>
  (fault && faultAnswers[fault.fault]?.(url)) ?? null

function feesBetween(from: number, to: number): Response {
  const isSupported = (domain: number) => chainKeys.some((key) => chains[key].cctpDomain === domain)
  if (from === to || !isSupported(from) || !isSupported(to)) return failed(400, 'Invalid domain')
  const { fast, standard } = fees(from)
  return Response.json([
    { finalityThreshold: finality.fast, minimumFee: fast / 1_000 },
    { finalityThreshold: finality.standard, minimumFee: standard / 1_000 },
  ])
}
