import { storedSemaphores } from '../../adapters/limits/stored-semaphores'
import type { Semaphore } from '../../domain/chain/semaphore'
import type { Records } from '../../ports/records'

type Ports = {
  books: Records<Semaphore>
  /** A name that is unique to this process. */
  name: string
  /** Deletes or moves some of what is kept no longer. @returns how many records, and 0 when nothing is left. */
  sweep: () => Promise<number>
  rest: (ms: number) => Promise<void>
  now: () => number
}

/** How long the others wait for a process that died. */
const leaseMs = 5 * 60_000
const restMsMax = 10_000

/**
 * Deletes and moves what is kept no longer, in one process of all, until nothing of it is left: no amount a minute is
 * fixed that a busy organization could outrun. Nobody waits for it, so it rests as long as each batch took.
 */
export function forgetting({ books, name, sweep, rest, now }: Ports) {
  const leases = storedSemaphores({ books, now })
  let isRunning = false
  let isStopped = false

  const isMine = async (): Promise<boolean> =>
    !isStopped && (await leases.acquire('forgetting', { holder: name, most: 1, until: now() + leaseMs }))

  return {
    /** Does nothing while another process does it, or while the last call still runs. */
    async run(): Promise<void> {
      if (isRunning) return
      isRunning = true
      try {
        while (await isMine()) {
          const from = now()
          if ((await sweep()) === 0) return
          await rest(Math.min(now() - from, restMsMax))
        }
      } finally {
        isRunning = false
      }
    },
    /** Leaves the rest to another process at once. */
    async stop(): Promise<void> {
      isStopped = true
      await leases.release('forgetting', name)
    },
  }
}
