import { randomUUID } from 'node:crypto'
import { planOf } from '../../domain/tenant/organization'
import type { Semaphores } from '../../ports/limits'
import type { Caller } from '../request/caller'

/** A process that died loses its permits after this time. A live process renews them three times in that period. */
const leaseMs = 60_000
const renewMs = 20_000

export type StreamPermit = {
  /**
   * Renews the permits while the stream is open.
   * @returns false if they are lost.
   */
  renew(): Promise<boolean>
  release(): void
}

type Ports = { semaphores: Semaphores; now: () => number; noteTrouble: (error: unknown) => void }

/**
 * Counts open streams by key, by organization and by person. A second key or organization does not raise a person's
 * limit.
 */
export const streamPermits =
  ({ semaphores, now, noteTrouble }: Ports) =>
  async ({ actor, organization, personId }: Caller): Promise<StreamPermit | null> => {
    const { perKey, perOrganization, perPerson } = planOf(organization).streams
    const holder = randomUUID()
    const wanted: [id: string, most: number][] = [
      [`streams:of:${actor.id}`, perKey],
      [`streams:in:${organization.id}`, perOrganization],
      ...(personId ? [[`streams:by:${personId}`, perPerson] as [string, number]] : []),
    ]
    const acquire = async (): Promise<boolean> => {
      for (const [id, most] of wanted)
        if (!(await semaphores.acquire(id, { holder, most, until: now() + leaseMs }))) return false
      return true
    }
    const release = () => {
      for (const [id] of wanted) semaphores.release(id, holder).catch(noteTrouble)
    }
    if (!(await acquire())) {
      release()
      return null
    }
    let renewedAt = now()
    return {
      async renew() {
        if (now() - renewedAt < renewMs) return true
        renewedAt = now()
        // If the store does not respond now, the next renewal comes before the permits expire.
        return acquire().catch((error) => {
          noteTrouble(error)
          return true
        })
      },
      release,
    }
  }
