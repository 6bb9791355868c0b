import { type PlaceBook, withHolder, withoutHolder } from '../../domain/chain/relayer-places'
import { inTurn } from '../../domain/in-turn'
import type { Places } from '../../ports/limits'
import type { Records } from '../../ports/records'

const writersMax = 100

type Ports = { books: Records<PlaceBook>; now: () => number }

/** Places stored in one document each. Simultaneous changes from one process take turns. */
export function storedPlaces({ books, now }: Ports): Places {
  const turn = inTurn()

  /**
   * Retries until the book is written as it was read.
   *
   * @returns false when there is nothing to write.
   */
  const change = (id: string, changed: (book: PlaceBook) => PlaceBook | null): Promise<boolean> =>
    turn(id, async () => {
      for (let n = 0; n < writersMax; n++) {
        const book = changed((await books.load(id)) ?? { id, version: 0, held: [], forgetAt: 0 })
        if (!book) return false
        if (await books.save(book)) return true
      }
      throw new Error(`The places of ${id} keep being changed by other processes`)
    })

  return {
    hold: (id, wish) => change(id, (book) => withHolder(book, wish, now())),
    async leave(id, holder) {
      await change(id, (book) =>
        book.held.some((each) => each.holder === holder) ? withoutHolder(book, holder) : null,
      )
    },
  }
}
