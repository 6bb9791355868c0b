import { inTurn } from '../../domain/concurrency'
import type { Alone } from '../../intents/leads-back'
import type { Semaphores } from '../../ports/limits'
import type { OperatorPorts } from '../operator/ports'
import { type NoteBug, Refusal } from '../request/failure'

type AlonePorts = { semaphores: Semaphores; newId: OperatorPorts['newId']; noteBug: NoteBug; now: () => number }

/** Longest time that one request locks the organization's intents. */
const aloneMs = 30_000

/** Interval and number of tries to take the lock, which another process usually holds for some milliseconds. */
const againMs = 25
const triesMax = 80

/**
 * Serialises the check and the write of intents, per organization and across all processes. Otherwise two intents that
 * lead to each other would both pass, if both were checked before either is stored.
 *
 * @throws {Refusal} `CHANGED_MEANWHILE` if other processes hold the lock for two seconds.
 */
export function aloneBy({ semaphores, newId, noteBug, now }: AlonePorts): Alone {
  const turn = inTurn()
  return ({ organizationId }, act) =>
    turn(organizationId, async () => {
      const [id, holder] = [`leading:${organizationId}`, newId('lead')]
      const acquire = () => semaphores.acquire(id, { holder, most: 1, until: now() + aloneMs })
      for (let tries = 1; !(await acquire()); tries++) {
        if (tries === triesMax) throw new Refusal('CHANGED_MEANWHILE')
        await Bun.sleep(againMs)
      }
      try {
        return await act()
      } finally {
        await semaphores.release(id, holder).catch((error) => noteBug(error, { requestId: '', route: 'intents' }))
      }
    })
}
