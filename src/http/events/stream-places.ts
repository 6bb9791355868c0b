import { randomUUID } from 'node:crypto'
import { planOf } from '../../domain/tenant/organization'
import type { Places } from '../../ports/limits'
import type { Caller } from '../request/caller'

/** A process that died loses its places after this long; one that lives renews them three times meanwhile. */
const leaseMs = 60_000
const renewMs = 20_000

export type StreamPlace = {
  /**
   * Renews the places while the stream is open.
   * @returns false when they are lost.
   */
  keep(): Promise<boolean>
  leave(): void
}

type Ports = { places: Places; now: () => number; noteTrouble: (error: unknown) => void }

/**
 * Counts open streams by key, by organization and by person: another key or organization does not give a person more.
 */
export const streamPlaces =
  ({ places, now, noteTrouble }: Ports) =>
  async ({ actor, organization, personId }: Caller): Promise<StreamPlace | null> => {
    const { perKey, perOrganization, perPerson } = planOf(organization).streams
    const holder = randomUUID()
    const wanted: [id: string, most: number][] = [
      [`streams:of:${actor.id}`, perKey],
      [`streams:in:${organization.id}`, perOrganization],
      ...(personId ? [[`streams:by:${personId}`, perPerson] as [string, number]] : []),
    ]
    const hold = async (): Promise<boolean> => {
      for (const [id, most] of wanted)
        if (!(await places.hold(id, { holder, most, until: now() + leaseMs }))) return false
      return true
    }
    const leave = () => {
      for (const [id] of wanted) places.leave(id, holder).catch(noteTrouble)
    }
    if (!(await hold())) {
      leave()
      return null
    }
    let keptAt = now()
    return {
      async keep() {
        if (now() - keptAt < renewMs) return true
        keptAt = now()
        // A store that does not answer now is asked again before the places expire.
        return hold().catch((error) => {
          noteTrouble(error)
          return true
        })
      },
      leave,
    }
  }
