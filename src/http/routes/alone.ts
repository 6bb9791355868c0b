import { inTurn } from '../../domain/concurrency'
import type { Alone } from '../../intents/leads-back'
import type { Semaphores } from '../../ports/limits'
import type { OperatorPorts } from '../operator/ports'
import { type NoteBug, Refusal } from '../request/failure'

type AlonePorts = { semaphores: Semaphores; newId: OperatorPorts['newId']; noteBug: NoteBug; now: () => number }

/** Longest time that one request locks the organization's intents that pay deposit addresses. */
const aloneMs = 30_000

/**
 * Serialises the check and the write of intents that pay deposit addresses, per organization and across all processes.
 * Otherwise two intents that lead to each other would both pass, if both were checked before either is stored.
 *
 * @throws {Refusal} `CHANGED_MEANWHILE` while another process stores such an intent.
 */
export function aloneBy({ semaphores, newId, noteBug, now }: AlonePorts): Alone {
  const turn = inTurn()
  return ({ organizationId }, act) =>
    turn(organizationId, async () => {
      const [id, holder] = [`leading:${organizationId}`, newId('lead')]
      if (!(await semaphores.acquire(id, { holder, most: 1, until: now() + aloneMs })))
        throw new Refusal('CHANGED_MEANWHILE')
      try {
        return await act()
      } finally {
        await semaphores.release(id, holder).catch((error) => noteBug(error, { requestId: '', route: 'intents' }))
      }
    })
}
