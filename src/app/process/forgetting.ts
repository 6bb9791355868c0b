import { storedLease } from '../../adapters/limits/stored-semaphores'
import type { Semaphore } from '../../domain/chain/semaphore'
import type { Records } from '../../ports/records'

type Ports = {
  books: Records<Semaphore>
  /** Unique to this process. */
  name: string
  /** Deletes or archives a batch of expired records. @returns the number of records; 0 if none is left. */
  sweep: () => Promise<number>
  rest: (ms: number) => Promise<void>
  now: () => number
}

/** How long other processes wait before they replace one that died. */
const leaseMs = 5 * 60_000
const renewMs = 60_000
const restMsMax = 10_000

/**
 * Deletes and archives expired records until none is left. One process at a time does this. There is no fixed rate,
 * because a busy organization could outrun it. The work is not urgent, so it pauses after each batch for as long as the
 * batch took.
 */
export function forgetting({ books, name, sweep, rest, now }: Ports) {
  const turn = storedLease(books, 'forgetting', { holder: name, forMs: leaseMs, renewMs, askMs: 0, now })
  let isRunning = false

  return {
    /** Returns immediately while another process or an earlier call is running. */
    async run(): Promise<void> {
      if (isRunning) return
      isRunning = true
      try {
        while (await turn.hold()) {
          const from = now()
          if ((await sweep()) === 0) return
          await rest(Math.min(now() - from, restMsMax))
        }
      } finally {
        isRunning = false
      }
    },
    /** Releases the lease, so another process can continue immediately. */
    stop: (): Promise<void> => turn.release(),
  }
}
