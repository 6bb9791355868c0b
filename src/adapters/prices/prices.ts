import type { ChainId } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import {
  earlierOf,
  emptyPriceBook,
  isFresh,
  type PriceBook,
  type ReportedPrices,
  reportedIn,
  usableUsd,
  withReported,
} from '../../domain/money/price-book'
import { agreedPrice, confirmedPrice, isPlausiblePrice } from '../../domain/money/worth'
import type { IsPriced, PriceSource, Prices } from '../../ports/prices'
import type { Records } from '../../ports/records'

type Settings = {
  now: () => number
  timeoutMs?: number
  /** Prices that all processes share. Without them, this instance relies on its own readings. */
  books?: Records<PriceBook>
}
/** The prices until two sources agreed, or all prices, in the order of the sources. */
type Answers = ReportedPrices & { failures: readonly unknown[] }
type PriceState = Answers & { book: PriceBook }

/**
 * Queries all sources together and takes the first price that a second source confirms. The price of a single source
 * counts only if no second source has one. Contradicting sources give no price. Prices are cached per source and
 * overall, and are shared between processes, so a token's price does not depend on the process that carries the
 * deposit.
 */
export function prices(
  sources: readonly PriceSource[],
  { now, timeoutMs = 3_000, books }: Settings,
): Prices & { isPriced: IsPriced } {
  const cached = new Map<string, PriceState>()
  const requests = new Map<string, Promise<PriceState>>()

  async function readReports(key: string, chainId: ChainId, token: Address): Promise<PriceState> {
    try {
      // While the store is unavailable, the sources are queried as if no price were stored.
      const stored = (await books?.load(key).catch(() => null)) ?? cached.get(key)?.book ?? emptyPriceBook(key)
      if (isFresh(stored, now())) return remember(key, { ...reportedIn(stored), failures: failuresIn(stored) }, stored)
      const answers = await collect(sources, (one) => one.priceUsd(chainId, token, AbortSignal.timeout(timeoutMs)))
      const book = withReported(stored, answers, agreedPrice(answers.said), now())
      // A process that saved first queried the same sources at the same time.
      const saved = await books?.save(book).catch(() => null)
      return remember(key, answers, saved ?? book)
    } finally {
      requests.delete(key)
    }
  }
  function remember(key: string, answers: Answers, book: PriceBook): PriceState {
    const state = { ...answers, book }
    cached.set(key, state)
    return state
  }

  function stateOf(chainId: ChainId, token: Address): Promise<PriceState> | PriceState {
    const key = `${chainId}:${token.toLowerCase()}`
    const last = cached.get(key)
    if (last && isFresh(last.book, now())) return last
    const inFlight = requests.get(key) ?? readReports(key, chainId, token)
    requests.set(key, inFlight)
    return inFlight
  }

  return {
    async usd(chainId, token) {
      const { said, failures, book } = await stateOf(chainId, token)
      const usd = agreedPrice(said)
      if (usd !== null) return usd
      if (said.length > 1) throw new Contradiction(said.map((each) => each.usd))
      const last = usableUsd(book, now())
      if (last !== null) return last
      throw causeOf(failures)
    },

    /** Whether any source prices the token. Null if none does and some failed. The result is not cached here. */
    async isPriced(chainId, token) {
      const ask = (one: PriceSource) => one.priceUsd(chainId, token, AbortSignal.timeout(timeoutMs))
      const { said, failures } = await collect(sources, ask)
      if (said.length > 0) return true
      return failures.length > 0 ? null : false
    },

    async said(chainId, token) {
      const { said, failures, book } = await stateOf(chainId, token)
      const bug = failures.find((error) => !(error instanceof RoutingError))
      if (bug && said.length === 0) throw bug
      return [...said, ...earlierOf(book, now())]
    },
  }
}

/** Stand-ins for errors that another process met and has already reported. */
const failuresIn = ({ failed }: PriceBook): RoutingError[] =>
  failed.map(
    (source) => new RoutingError('PROVIDER_FAILED', { cause: `${source} returned no price to another process` }),
  )

/** Returns a bug in a source before any failure of a provider. */
const causeOf = (failures: readonly unknown[]): unknown =>
  failures.find((error) => !(error instanceof RoutingError)) ??
  failures.at(-1) ??
  new RoutingError('PROVIDER_FAILED', { cause: 'No source has a price' })

/** Two sources contradict each other, and it is unclear which one is wrong. Retryable, so no fee is left out. */
class Contradiction extends RoutingError {
  constructor(said: readonly bigint[]) {
    super('PROVIDER_MALFORMED', { cause: new Error(`Prices contradict each other: ${said.join(', ')}`) })
  }
}

/** Resolves when two sources agree, without waiting for the others, or when all have answered. */
function collect(sources: readonly PriceSource[], ask: (one: PriceSource) => Promise<bigint | null>): Promise<Answers> {
  const answers = new Map<string, bigint>()
  const failures = new Map<string, unknown>()
  const answersNow = (): Answers => ({
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
      const soFar = answersNow()
      if (confirmedPrice(soFar.said) !== null) resolve(soFar)
    })
    void Promise.all(all).then(() => resolve(answersNow()))
  })
}
