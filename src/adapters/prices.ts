import type { ChainId } from '../domain/chain'
import { RoutingError } from '../domain/error'
import type { Address } from '../domain/hex'
import type { Aggregator } from '../ports/aggregator'
import type { Prices } from '../ports/prices'

type Settings = { now?: () => number; timeoutMs?: number }
type Entry = { usd: bigint; at: number }

const freshMs = 30_000
/** While nobody answers, an older price is better than none: gas has a buffer of 20 %. */
const usableMs = 5 * 60_000
/** A whole token for more than this is a mistake: USD with 8 decimals. */
const usdMax = 10_000_000n * 10n ** 8n

/** What the providers say, the first that knows; asked once at a time for each token and kept for a while. */
export function prices(
  aggregators: readonly Pick<Aggregator, 'priceUsd'>[],
  { now = Date.now, timeoutMs = 3_000 }: Settings = {},
): Prices {
  const known = new Map<string, Entry>()
  const asked = new Map<string, Promise<bigint>>()

  async function ask(chainId: ChainId, token: Address): Promise<bigint> {
    let failure = new RoutingError('PROVIDER_FAILED', { cause: 'Nobody knows the price' })
    for (const aggregator of aggregators) {
      try {
        const usd = await aggregator.priceUsd(chainId, token, AbortSignal.timeout(timeoutMs))
        if (usd !== null && usd > 0n && usd <= usdMax) return usd
      } catch (error) {
        if (!(error instanceof RoutingError)) throw error
        failure = error
      }
    }
    throw failure
  }

  async function look(key: string, chainId: ChainId, token: Address): Promise<bigint> {
    try {
      const usd = await ask(chainId, token)
      known.set(key, { usd, at: now() })
      return usd
    } catch (error) {
      const last = known.get(key)
      if (last && now() - last.at < usableMs) return last.usd
      throw error
    } finally {
      asked.delete(key)
    }
  }

  return {
    async usd(chainId, token) {
      const key = `${chainId}:${token.toLowerCase()}`
      const entry = known.get(key)
      if (entry && now() - entry.at < freshMs) return entry.usd
      const inFlight = asked.get(key) ?? look(key, chainId, token)
      asked.set(key, inFlight)
      return inFlight
    },
  }
}
