import { type ChainId, chains } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { defaultPolicy } from '../../domain/execution/route'
import type { TokenList } from '../../domain/money/token'
import type { RouteRequest } from '../../ports/aggregator'
import type { WatchedAggregator } from './circuit-breaker'

const lookMs = 2_000
/** A provider that was asked more recently than this is not asked again. */
const askedMs = 5_000
const timeoutMs = 5_000
const symbol = 'USDC'
const amountIn = 100_000_000n
/** Any address will do, because nothing is sent. */
const nobody: Address = '0x000000000000000000000000000000000000dEaD'

type Ports = { providers: readonly WatchedAggregator[]; tokens: TokenList; now: () => number }

/**
 * Probes a provider that is not healthy even when nobody needs it. Otherwise it would count as failing, and get no
 * requests, until the next deposit came. A healthy provider is not probed.
 *
 * @returns the function to call at a regular interval.
 */
export function providerProbe({ providers, tokens, now }: Ports): () => Promise<void> {
  const request = usualRequest(tokens)
  let lookedAt = Number.NEGATIVE_INFINITY

  async function look(provider: WatchedAggregator, request: RouteRequest): Promise<void> {
    const { healthy, updatedAt } = await provider.health()
    if (healthy || (updatedAt !== null && updatedAt + askedMs > now())) return
    await provider.look(request, AbortSignal.timeout(timeoutMs))
  }

  return async () => {
    if (!request || lookedAt + lookMs > now()) return
    lookedAt = now()
    await Promise.all(providers.map((provider) => look(provider, request)))
  }
}

/**
 * A pair of tokens that nearly everybody asks for: a provider that cannot quote it is not back. Null when the token
 * list has no such token.
 */
function usualRequest(tokens: TokenList): RouteRequest | null {
  const find = (chainId: ChainId) => tokens.findBySymbol(chainId, symbol)?.address
  const [fromChainId, toChainId] = [chains.base.id, chains.arbitrum.id]
  const [fromToken, toToken] = [find(fromChainId), find(toChainId)]
  if (!fromToken || !toToken) return null
  const sides = { fromChainId, fromToken, toChainId, toToken }
  return { ...sides, amountIn, account: nobody, recipient: nobody, policy: defaultPolicy }
}
