import { aged } from '../domain/aged'
import type { ChainId } from '../domain/chain/chain'
import { inTurn, isRewritten, rewrite } from '../domain/concurrency'
import { emptyGasRecord, type GasRecord, type MeasuredGas, withMeasured } from '../domain/money/gas'
import type { GasBooks } from '../ports/prices'
import type { Records } from '../ports/records'

const cachedMs = 2_000
const writersMax = 10

/**
 * Measured gas, in one document per chain. Only new figures are written, so many routes of one kind cost few writes.
 */
export function sharedGasBooks({ books, now }: { books: Records<GasRecord>; now: () => number }): GasBooks {
  const load = async (chainId: ChainId) => (await books.load(String(chainId))) ?? emptyGasRecord(String(chainId))
  const cached = aged(load, { now, forMs: cachedMs, from: 'START' })
  const turn = inTurn()

  const note = (chainId: ChainId, measured: MeasuredGas): Promise<GasRecord> =>
    turn(String(chainId), async () => {
      const first = await cached.get(chainId)
      let before = first
      const change = (stored: GasRecord | null): GasRecord | null => {
        if (stored !== first) before = stored ?? emptyGasRecord(String(chainId))
        return withMeasured(before, measured, now())
      }
      const writing = rewrite(books, String(chainId), change, { first, triesMax: writersMax })
      await isRewritten(writing.then((book) => book && book !== first && cached.set(chainId, book)))
      return before // other processes keep writing, and they measure the same
    })

  return { read: cached.get, note }
}
