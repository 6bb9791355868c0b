import type { SchedulerLike } from 'rxjs'
import { chains } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { withDeadline } from '../../domain/concurrency'
import { defaultPolicy } from '../../domain/execution/route'
import type { TokenList } from '../../domain/money/token'
import type { RouteRequest } from '../../ports/aggregator'
import type { WatchedAggregator } from './circuit-breaker'

const lookMs = 2_000
/** A provider that was asked more recently than this is not asked again. */
const askedMs = 5_000
const symbol = 'USDC'
/**
 * Pairs of chains of which none has a side in common with another. When all three fail, everything does, even if all
 * deposits of that time are of one pair of tokens.
 */
const sides = [
  [chains.base, chains.arbitrum],
  [chains.polygon, chains.ethereum],
  [chains.avalanche, chains.base],
] as const
const amountIn = 100_000_000n
/** Any address will do, because nothing is sent. */
const nobody: Address = '0x000000000000000000000000000000000000dEaD'

type Ports = {
  providers: readonly WatchedAggregator[]
  tokens: TokenList
  /** A look has as long as a quote: a provider that is too slow for looks alone would count as away for ever. */
  quoteTimeoutMs: number
  now: () => number
  scheduler?: SchedulerLike
}

/**
 * Probes a provider that is not healthy even when nobody needs it. Otherwise it would count as failing, and get no
 * requests, until the next deposit came. A healthy provider is not probed.
 *
 * @returns the function to call at a regular interval.
 */
export function providerProbe({ providers, tokens, quoteTimeoutMs, now, scheduler }: Ports): () => Promise<void> {
  const requests = usualRequests(tokens)
  const looks = new Map<WatchedAggregator, number>()
  let lookedAt = Number.NEGATIVE_INFINITY
  // Processes begin with different pairs, also when they are started again and again.
  const first = Math.abs(Math.floor(now()))

  async function look(provider: WatchedAggregator): Promise<void> {
    const { healthy, updatedAt } = await provider.health()
    if (healthy || (updatedAt !== null && updatedAt + askedMs > now())) return
    const n = looks.get(provider) ?? first
    looks.set(provider, n + 1)
    const request = requests[n % requests.length]!
    await withDeadline(quoteTimeoutMs, (signal) => provider.look(request, signal), scheduler)
  }

  return async () => {
    if (requests.length === 0 || lookedAt + lookMs > now()) return
    lookedAt = now()
    await Promise.all(providers.map(look))
  }
}

/** For how long one check of a provider stands for all failures that this process meets. */
const checkedMs = 2_000

/**
 * Returns a function that tells, when a provider failed with one request, whether it fails with others as well. It asks
 * for usual pairs of other chains in turn, so that the circuit opens soon where everything fails, and trouble with one
 * token or chain does not look like an outage for long.
 */
export function providerCheck({ providers, tokens, quoteTimeoutMs, now, scheduler }: Ports) {
  const requests = usualRequests(tokens)
  const checks = new Map<string, { isWell: Promise<boolean>; until: number }>()
  let count = 0

  function isWell(provider: WatchedAggregator, request: RouteRequest): Promise<boolean> {
    const id = `${provider.name} ${request.fromChainId} ${request.toChainId}`
    const known = checks.get(id)
    if (known && now() < known.until) return known.isWell
    const look = withDeadline(quoteTimeoutMs, (signal) => provider.look(request, signal), scheduler)
    const check = { isWell: look, until: Number.POSITIVE_INFINITY }
    checks.set(id, check)
    return look.finally(() => {
      check.until = now() + checkedMs
    })
  }

  return async (name: string, failed: RouteRequest): Promise<boolean> => {
    const provider = providers.find((one) => one.name === name)
    const others = requests.filter((one) => !isSame(one, failed))
    const request = others[count++ % others.length]
    if (!provider || !request) return false
    return !(await isWell(provider, request))
  }
}

const isSame = (one: RouteRequest, other: RouteRequest): boolean =>
  one.fromChainId === other.fromChainId && one.toChainId === other.toChainId

/**
 * Pairs of tokens that nearly everybody asks for: a provider that cannot quote them is not back. Those of which the
 * token list lacks a token are left out.
 */
const usualRequests = (tokens: TokenList): RouteRequest[] =>
  sides.flatMap(([{ id: fromChainId }, { id: toChainId }]) => {
    const fromToken = tokens.findBySymbol(fromChainId, symbol)?.address
    const toToken = tokens.findBySymbol(toChainId, symbol)?.address
    if (!fromToken || !toToken) return []
    const asked = { fromChainId, fromToken, toChainId, toToken }
    return [{ ...asked, amountIn, account: nobody, recipient: nobody, policy: defaultPolicy }]
  })
