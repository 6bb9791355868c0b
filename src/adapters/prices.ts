import type { ChainId } from '../domain/chain'
import { RoutingError } from '../domain/error'
import type { Address } from '../domain/hex'
import type { PriceSource, Prices } from '../ports/prices'

type Settings = { now?: () => number; timeoutMs?: number }
type Entry = { usd: bigint; at: number }

const freshMs = 30_000
/** While nobody answers, an older price is better than none: gas has a buffer of 20 %. */
const usableMs = 5 * 60_000
/** A whole token for more than this is a mistake: USD with 8 decimals. */
const usdMax = 10_000_000n * 10n ** 8n
/** Two who say the same within this bound are believed. */
const deviationBps = 500n

/**
 * What the sources say, asked all at once: the first price that a second one confirms. Who is alone is believed, where
 * there is nobody else; those who contradict each other are not. Kept for a while.
 */
export function prices(sources: readonly PriceSource[], { now = Date.now, timeoutMs = 3_000 }: Settings = {}): Prices {
  const known = new Map<string, Entry>()
  const asked = new Map<string, Promise<bigint>>()

  async function look(key: string, chainId: ChainId, token: Address): Promise<bigint> {
    try {
      const usd = await agreed(sources.map((one) => one.priceUsd(chainId, token, AbortSignal.timeout(timeoutMs))))
      known.set(key, { usd, at: now() })
      return usd
    } catch (error) {
      const last = known.get(key)
      if (last && now() - last.at < usableMs && !(error instanceof Contradiction)) return last.usd
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

/** Retryable, and never a reason to charge nothing: somebody is wrong, and nobody knows who. */
class Contradiction extends RoutingError {
  constructor(said: readonly bigint[]) {
    super('PROVIDER_MALFORMED', { cause: new Error(`Prices contradict each other: ${said.join(', ')}`) })
  }
}

async function agreed(asked: readonly Promise<bigint | null>[]): Promise<bigint> {
  const said: { usd: bigint; at: number }[] = []
  const failures: unknown[] = []
  const all = asked.map(async (answer, at) => {
    const usd = await answer.catch((error) => {
      failures.push(error)
      return null
    })
    if (usd === null || usd <= 0n || usd > usdMax) return null
    said.push({ usd, at })
    return confirmed(said)
  })
  const price = await firstOf(all)
  if (price !== null) return price
  if (said.length === 1) return said[0]!.usd
  if (said.length > 1) throw new Contradiction(said.map(({ usd }) => usd))
  throw (
    failures.find((error) => !(error instanceof RoutingError)) ??
    failures.at(-1) ??
    new RoutingError('PROVIDER_FAILED', { cause: 'Nobody knows the price' })
  )
}

/** The price of the first of two that are near each other, by the order of the list. */
function confirmed(said: readonly { usd: bigint; at: number }[]): bigint | null {
  const inOrder = [...said].sort((one, other) => one.at - other.at)
  for (const [n, one] of inOrder.entries())
    for (const other of inOrder.slice(n + 1)) if (isNear(one.usd, other.usd)) return one.usd
  return null
}

/** The first that is something; null when all are nothing. */
const firstOf = (answers: readonly Promise<bigint | null>[]): Promise<bigint | null> =>
  new Promise((resolve, reject) => {
    for (const answer of answers) answer.then((found) => found !== null && resolve(found), reject)
    Promise.all(answers).then(() => resolve(null), reject)
  })

const isNear = (one: bigint, other: bigint): boolean => {
  const [low, high] = one < other ? [one, other] : [other, one]
  return (high - low) * 10_000n <= low * deviationBps
}
