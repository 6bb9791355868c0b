import { BoundedMap } from '../../domain/bounded-map'
import type { ChainId } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { inParallel } from '../../domain/concurrency'
import type { IsPriced } from '../../ports/prices'

type Ports = { isPriced: IsPriced; now: () => number }

/**
 * How many questions are asked in what time, however many tokens arrive. Anybody can create tokens, and each question
 * costs a provider something.
 */
const askedMax = 5
const everyMs = 20_000
const [freshMs, rememberedMax, atOnce] = [60 * 60_000, 10_000, 2]

export type PricedTokens = ReturnType<typeof pricedTokens>

/** Remembers which unlisted tokens a provider prices. It asks rarely about each token, and about few at a time. */
export function pricedTokens({ isPriced, now }: Ports) {
  const answers = new BoundedMap<string, { isPriced: boolean; at: number }>(rememberedMax)
  const keyOf = (chainId: ChainId, token: Address) => `${chainId}:${token}`.toLowerCase()
  let since = Number.NEGATIVE_INFINITY
  let asked = 0

  function known(chainId: ChainId, token: Address): boolean | null {
    const answer = answers.get(keyOf(chainId, token))
    return answer && now() - answer.at < freshMs ? answer.isPriced : null
  }

  /** Whether one more question may be asked. It is counted as asked. */
  function mayAsk(): boolean {
    if (now() - since >= everyMs) [since, asked] = [now(), 0]
    return asked++ < askedMax
  }

  return {
    /** Returns null when nobody has answered, or not lately. */
    known,
    /**
     * Asks about as many of the tokens as is allowed now, each once.
     *
     * @returns The tokens that were asked about.
     */
    async ask(chainId: ChainId, tokens: readonly Address[]): Promise<Address[]> {
      const unknown = [...new Set(tokens)].filter((token) => known(chainId, token) === null)
      const few = unknown.filter((_, n) => n < askedMax && mayAsk())
      await inParallel(few, atOnce, async (token) => {
        const said = await isPriced(chainId, token)
        if (said !== null) answers.set(keyOf(chainId, token), { isPriced: said, at: now() })
      })
      return few
    },
  }
}
