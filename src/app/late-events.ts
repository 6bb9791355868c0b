import { storedSemaphores } from '../adapters/limits/stored-semaphores'
import type { Semaphore } from '../domain/chain/semaphore'
import { lateness } from '../http/events/late-events'
import type { Records } from '../ports/records'
import { beats } from './process/beats'

type Ports = Parameters<typeof lateness>[0] & {
  semaphoreRecords: Records<Semaphore>
  /** A name that is unique to this process. */
  name: string
  onTrouble: (what: string, error: unknown) => void
}

const beatMs = 1_000
const lease = { id: 'late events', ms: 30_000, everyMs: 10_000 } as const

/** Has one process of all look for events that became readable late. Another one takes over from one that died. */
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

  const beating = beats(round, beatMs, onTrouble)
  return {
    round,
    start: beating.start,
    async stop(): Promise<void> {
      await beating.stop()
      await leases.release(lease.id, name).catch(onTrouble)
    },
  }
}
