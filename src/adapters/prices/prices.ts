import type { ChainId } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import { isNear, type Said } from '../../domain/money/worth'
import type { IsPriced, PriceSource, Prices } from '../../ports/prices'

type Settings = { now?: () => number; timeoutMs?: number }
/** What came in by the time that two agreed, or all that ever will, by the order of the sources. */
type Heard = { said: readonly Said[]; failures: readonly unknown[]; failed: readonly string[] }

const freshMs = 30_000
/** An answer that lacks somebody's word is soon asked for again. */
const partialMs = 5_000
/** While nobody answers, an older price is better than none: gas has a buffer of 20 %. */
const usableMs = 5 * 60_000
/** A whole token for more than this is a mistake: USD with 8 decimals. */
const usdMax = 10_000_000n * 10n ** 8n

/**
 * What the sources say, asked all at once: the first price that a second one confirms. Who is alone is believed, where
 * there is nobody else; those who contradict each other are not. Kept for a while, of each source and of them all.
 */
export function prices(
  sources: readonly PriceSource[],
  { now = Date.now, timeoutMs = 3_000 }: Settings = {},
): Prices & { isPriced: IsPriced } {
  const known = new Map<string, Heard & { at: number }>()
  const believed = new Map<string, { usd: bigint; at: number }>()
  const spoken = new Map<string, { usd: bigint; at: number }>()
  const asked = new Map<string, Promise<Heard>>()
  const keyOf = (chainId: ChainId, token: Address) => `${chainId}:${token.toLowerCase()}`

  async function look(key: string, chainId: ChainId, token: Address): Promise<Heard> {
    try {
      const heard = await hear(sources, (one) => one.priceUsd(chainId, token, AbortSignal.timeout(timeoutMs)))
      known.set(key, { ...heard, at: now() })
      for (const { source, usd } of heard.said) spoken.set(`${key} ${source}`, { usd, at: now() })
      const usd = priceIn(heard.said)
      if (usd !== null) believed.set(key, { usd, at: now() })
      return heard
    } finally {
      asked.delete(key)
    }
  }

  function heardOf(chainId: ChainId, token: Address): Promise<Heard> | Heard {
    const key = keyOf(chainId, token)
    const kept = known.get(key)
    if (kept && now() - kept.at < (kept.failures.length > 0 ? partialMs : freshMs)) return kept
    const inFlight = asked.get(key) ?? look(key, chainId, token)
    asked.set(key, inFlight)
    return inFlight
  }

  return {
    async usd(chainId, token) {
      const { said, failures } = await heardOf(chainId, token)
      const usd = priceIn(said)
      if (usd !== null) return usd
      if (said.length > 1) throw new Contradiction(said.map((each) => each.usd))
      const last = believed.get(keyOf(chainId, token))
      if (last && now() - last.at < usableMs) return last.usd
      throw (
        failures.find((error) => !(error instanceof RoutingError)) ??
        failures.at(-1) ??
        new RoutingError('PROVIDER_FAILED', { cause: 'Nobody knows the price' })
      )
    },

    /** Whether anybody says a price; null where nobody does, and not all could be asked. Nothing is kept of it here. */
    async isPriced(chainId, token) {
      const ask = (one: PriceSource) => one.priceUsd(chainId, token, AbortSignal.timeout(timeoutMs))
      const { said, failures } = await hear(sources, ask)
      if (said.length > 0) return true
      return failures.length > 0 ? null : false
    },

    async said(chainId, token) {
      const { said, failures, failed } = await heardOf(chainId, token)
      const bug = failures.find((error) => !(error instanceof RoutingError))
      if (bug && said.length === 0) throw bug
      const earlier = failed.flatMap((source) => {
        const last = spoken.get(`${keyOf(chainId, token)} ${source}`)
        return last && now() - last.at < usableMs ? [{ source, usd: last.usd }] : []
      })
      return [...said, ...earlier]
    },
  }
}

/** Retryable, and never a reason to charge nothing: somebody is wrong, and nobody knows who. */
class Contradiction extends RoutingError {
  constructor(said: readonly bigint[]) {
    super('PROVIDER_MALFORMED', { cause: new Error(`Prices contradict each other: ${said.join(', ')}`) })
  }
}

/** Nobody is waited for once two agree. */
function hear(sources: readonly PriceSource[], ask: (one: PriceSource) => Promise<bigint | null>): Promise<Heard> {
  const answers = new Map<string, bigint>()
  const failures = new Map<string, unknown>()
  const heard = (): Heard => ({
    said: sources.flatMap(({ name }) => (answers.has(name) ? [{ source: name, usd: answers.get(name)! }] : [])),
    failures: [...failures.values()],
    failed: [...failures.keys()],
  })
  return new Promise((resolve) => {
    const all = sources.map(async (source) => {
      const usd = await ask(source).catch((error) => {
        failures.set(source.name, error)
        return null
      })
      if (usd === null || usd <= 0n || usd > usdMax) return
      answers.set(source.name, usd)
      const now = heard()
      if (firstConfirmed(now.said) !== null) resolve(now)
    })
    void Promise.all(all).then(() => resolve(heard()))
  })
}

/** The price of the first of two that are near each other, by the order of the list; of one alone, that one's. */
const priceIn = (said: readonly Said[]): bigint | null => (said.length === 1 ? said[0]!.usd : firstConfirmed(said))

function firstConfirmed(said: readonly Said[]): bigint | null {
  for (const [n, one] of said.entries())
    for (const other of said.slice(n + 1)) if (isNear(one.usd, other.usd)) return one.usd
  return null
}
