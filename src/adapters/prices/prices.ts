import type { ChainId } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import { agreedPrice, confirmedPrice, isPlausiblePrice, type PriceOpinion } from '../../domain/money/worth'
import type { IsPriced, PriceSource, Prices } from '../../ports/prices'

type Settings = { now?: () => number; timeoutMs?: number }
/** The answers up to the moment when two sources agreed, or all answers, in the order of the sources. */
type Heard = { said: readonly PriceOpinion[]; failures: readonly unknown[]; failed: readonly string[] }

const freshMs = 30_000
/** How long an answer is kept that lacks a source because it failed. */
const partialMs = 5_000
/** While no source answers, an older price is better than none: gas has a buffer of 20 %. */
const usableMs = 5 * 60_000

/**
 * Asks all sources at once and takes the first price that a second one confirms. A single source is believed when there
 * is no other; sources that contradict each other are not. Answers are kept for a while, for each source and for all
 * together.
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
      const usd = agreedPrice(heard.said)
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
      const usd = agreedPrice(said)
      if (usd !== null) return usd
      if (said.length > 1) throw new Contradiction(said.map((each) => each.usd))
      const last = believed.get(keyOf(chainId, token))
      if (last && now() - last.at < usableMs) return last.usd
      throw causeOf(failures)
    },

    /** Whether any source prices the token; null when none does and some failed. The answer is not cached here. */
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

/** A bug in a source is told before any failure of a provider. */
const causeOf = (failures: readonly unknown[]): unknown =>
  failures.find((error) => !(error instanceof RoutingError)) ??
  failures.at(-1) ??
  new RoutingError('PROVIDER_FAILED', { cause: 'Nobody knows the price' })

/** A contradiction is retryable and never a reason to charge nothing: one source is wrong, and nothing tells which. */
class Contradiction extends RoutingError {
  constructor(said: readonly bigint[]) {
    super('PROVIDER_MALFORMED', { cause: new Error(`Prices contradict each other: ${said.join(', ')}`) })
  }
}

/** Resolves as soon as two sources agree, without waiting for the others. */
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
      if (usd === null || !isPlausiblePrice(usd)) return
      answers.set(source.name, usd)
      const heardSoFar = heard()
      if (confirmedPrice(heardSoFar.said) !== null) resolve(heardSoFar)
    })
    void Promise.all(all).then(() => resolve(heard()))
  })
}
