import type { Semaphore } from '../../src/domain/limits/semaphore'
import { aloneBy } from '../../src/http/routes/alone'
import { storedSemaphores } from '../../src/limits/stored-semaphores'
import type { Records } from '../../src/ports/records'

/** The lock of a process on the intents that pay deposit addresses, which other processes share by their records. */
export const aloneIn = (books: Records<Semaphore>, now: () => number) => {
  const newId = (prefix: string) => `${prefix}${crypto.randomUUID()}`
  return aloneBy({ semaphores: storedSemaphores({ books, now }), newId, noteBug: () => {}, now })
}
