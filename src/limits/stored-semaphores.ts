import { inTurn, rewrite } from '../domain/concurrency'
import { type LeaseRecord, type LeaseTerms, lease } from '../domain/lease'
import { type Semaphore, withHolder, withoutHolder } from '../domain/limits/semaphore'
import type { Semaphores } from '../ports/limits'
import type { Records } from '../ports/records'

type Ports = { books: Records<Semaphore>; now: () => number }

/** Semaphores, stored in one document each. Simultaneous changes of one process run one after another. */
export function storedSemaphores({ books, now }: Ports): Semaphores {
  const turn = inTurn()

  /**
   * Retries until the document is written as it was read.
   *
   * @returns False if there is nothing to write.
   */
  const change = (id: string, changed: (counter: Semaphore) => Semaphore | null): Promise<boolean> =>
    turn(id, async () => {
      let isWritten = false
      await rewrite(books, id, (counter) => {
        const next = changed(counter ?? { id, version: 0, held: [], forgetAt: 0 })
        isWritten = next !== null
        return next
      })
      return isWritten
    })

  return {
    acquire: (id, request) => change(id, (counter) => withHolder(counter, request, now())),
    async release(id, holder) {
      await change(id, (counter) =>
        counter.held.some((each) => each.holder === holder) ? withoutHolder(counter, holder) : null,
      )
    },
  }
}

type SoleHolder = LeaseRecord & Pick<Semaphore, 'forgetAt'>
const nobody = { holder: null, until: 0 }

/** A lease of a subject without its own record, stored as a semaphore with one permit. */
export function storedLease(books: Records<Semaphore>, id: string, terms: LeaseTerms) {
  const soleIn = ({ held, ...counter }: Semaphore): SoleHolder => ({ ...counter, ...(held.at(-1) ?? nobody) })
  const records: Records<SoleHolder> = {
    async load(which) {
      const counter = await books.load(which)
      return counter && soleIn(counter)
    },
    async save({ holder, until, forgetAt, ...record }) {
      const held = holder === null ? [] : [{ holder, until }]
      const counter = await books.save({ ...record, held, forgetAt: holder === null ? forgetAt : until })
      return counter && soleIn(counter)
    },
  }
  return lease(records, { id, version: 0, forgetAt: 0, ...nobody }, terms)
}
