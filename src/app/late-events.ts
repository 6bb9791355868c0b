import { storedSemaphores } from '../adapters/limits/stored-semaphores'
import type { Semaphore } from '../domain/chain/semaphore'
import { repeat } from '../domain/repeat'
import { lateness } from '../http/events/late-events'
import type { Records } from '../ports/records'

type Ports = Parameters<typeof lateness>[0] & {
  semaphoreRecords: Records<Semaphore>
  /** Unique to this process. */
  name: string
  onTrouble: (what: string, error: unknown) => void
}

const beatMs = 1_000
const lease = { id: 'late events', ms: 30_000, everyMs: 10_000 } as const

/** Lets one process at a time search for events that became readable late. If it dies, another takes over. */
export function lateEventsTold({ semaphoreRecords, name, onTrouble: fault, ...ports }: Ports) {
  const onTrouble = (error: unknown) => fault('late events', error)
  const { now } = ports
  const leases = storedSemaphores({ books: semaphoreRecords, now })
  let askedAt = Number.NEGATIVE_INFINITY
  let looking: ReturnType<typeof lateness> | null = null

  async function round(): Promise<void> {
    if (now() - askedAt >= lease.everyMs) {
      askedAt = now()
      const isMine = await leases.acquire(lease.id, { holder: name, most: 1, until: now() + lease.ms })
      looking = isMine ? (looking ?? lateness(ports)) : null
    }
    await looking?.look()
  }

  const beating = repeat({ everyMs: beatMs, first: 'LATER', work: round, onTrouble })
  return {
    round,
    start: beating.start,
    async stop(): Promise<void> {
      await beating.stop()
      await leases.release(lease.id, name).catch(onTrouble)
    },
  }
}
