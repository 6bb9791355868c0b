import { departing, snapshotOf } from '../../domain/deposit/deposit-intent'
import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { pollMs } from '../../domain/execution/retry'
import { routeIdOf } from '../../domain/execution/route'
import { intentObjection, isSealed, type Seals } from '../../domain/seals'
import type { DepositIntents } from '../../ports/tenants'
import { recheckRefunds } from '../delivery/refund-recheck'
import type { Step } from '../engine/step'

type Ports = Parameters<typeof recheckRefunds>[1] & { intents: DepositIntents; seals: Seals }

const leastWaitMs = 5_000

/**
 * Copies where this deposit goes from the user's present intent. A retry keeps the intent that it was matched with.
 * Without an intent the deposit waits, and the intent's creation wakes it.
 */
export const matchIntent =
  ({ intents, seals, now, ...ports }: Ports): Step =>
  async (execution) => {
    const { id, organizationId, userId, deposit, facts, refundOf } = execution
    if (facts.intent) {
      assureSealed(execution, seals)
      return { type: 'intent matched' }
    }
    const unanswered = facts.isUnclaimed && refundOf === null && (await recheckRefunds(execution, { now, ...ports }))
    if (unanswered) return unanswered
    const stored = await intents.load(deposit.account)
    if (!stored) {
      const waitedMs = facts.waiting ? now() - facts.waiting.since : 0
      return { askAgainInMs: pollMs(waitedMs, leastWaitMs), waitingFor: 'INTENT' }
    }
    if (!isSealed(seals, stored)) throw forged('The stored intent is not what the integrator gave')
    const kept = snapshotOf(stored)
    // Money that a bridge sent back has already paid its protocol fee.
    const intent = refundOf === null ? kept : departing(kept, { protocolFeeBps: 0 })
    assureSealed({ ...execution, facts: { intent } }, seals)
    const routeId = routeIdOf({ organizationId, userId, executionId: id, intent })
    return { type: 'intent matched', facts: { intent, routeId } }
  }

/**
 * Checks the intent's seal. The signer does so again; here a forged intent is found before anybody is asked for a
 * route, and a new intent mends it.
 */
function assureSealed(execution: Execution, seals: Seals): void {
  const objection = intentObjection(seals, execution)
  if (objection) throw forged(objection)
}

const forged = (how: string) => new RoutingError('INTENT_NOT_SEALED', { cause: new Error(how) })
