import type { ChainId } from '../../domain/chain/chain'
import { hasKeptPace, inTurn, rewrite } from '../../domain/concurrency'
import { emptyGasBook, type GasBook, type MeasuredGas, withMeasured } from '../../domain/money/fees'
import type { GasBooks } from '../../ports/prices'
import type { Records } from '../../ports/records'

const knownMs = 2_000
const writersMax = 10

/**
 * Measured gas, in one document per chain. Only new figures are written, so many routes of one kind cost few writes.
 */
export function sharedGasBooks({ books, now }: { books: Records<GasBook>; now: () => number }): GasBooks {
  const known = new Map<ChainId, { book: GasBook; at: number }>()
  const turn = inTurn()

  function know(chainId: ChainId, book: GasBook): GasBook {
    known.set(chainId, { book, at: now() })
    return book
  }
  const load = async (chainId: ChainId): Promise<GasBook> =>
    know(chainId, (await books.load(String(chainId))) ?? emptyGasBook(String(chainId)))
  const read = async (chainId: ChainId, maxAgeMs = knownMs): Promise<GasBook> => {
    const kept = known.get(chainId)
    return kept && kept.at + maxAgeMs > now() ? kept.book : load(chainId)
  }

  const note = (chainId: ChainId, measured: MeasuredGas): Promise<GasBook> =>
    turn(String(chainId), async () => {
      const first = await read(chainId)
      let before = first
      const change = (stored: GasBook | null): GasBook | null => {
        if (stored !== first) before = know(chainId, stored ?? emptyGasBook(String(chainId)))
        return withMeasured(before, measured, now())
      }
      const writing = rewrite(books, String(chainId), change, { first, triesMax: writersMax })
      await hasKeptPace(writing.then((book) => book && book !== first && know(chainId, book)))
      return before // other processes keep writing, and they measure the same
    })

  return { read, note }
}
