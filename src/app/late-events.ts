import { storedSemaphores } from '../adapters/limits/stored-semaphores'
import type { Semaphore } from '../domain/chain/relayer'
import { lateness } from '../http/events/late-events'
import type { Records } from '../ports/records'

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
  let beat: ReturnType<typeof setInterval> | undefined
  let running: Promise<void> | null = null
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

  return {
    round,
    start(): void {
      beat = setInterval(() => {
        running ??= round()
          .catch(onTrouble)
          .finally(() => {
            running = null
          })
      }, beatMs)
    },
    async stop(): Promise<void> {
      clearInterval(beat)
      await running
      await leases.release(lease.id, name).catch(onTrouble)
    },
  }
}
