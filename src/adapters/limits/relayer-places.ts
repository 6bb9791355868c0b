import { type PlaceBook, withHolder, withoutHolder } from '../../domain/chain/relayer'
import { inTurn } from '../../domain/concurrency'
import { rewrite } from '../../domain/rewrite'
import type { Places } from '../../ports/limits'
import type { Records } from '../../ports/records'

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
      let isWritten = false
      await rewrite(books, id, (book) => {
        const next = changed(book ?? { id, version: 0, held: [], forgetAt: 0 })
        isWritten = next !== null
        return next
      })
      return isWritten
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
