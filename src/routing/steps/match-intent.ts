import { snapshotOf } from '../../domain/deposit-intent'
import { pollMs } from '../../domain/retry'
import { routeIdOf } from '../../domain/route'
import type { DepositIntents } from '../../ports/tenants'
import type { Step } from '../advance'
import { claimAgain } from '../claim-again'

type Ports = Parameters<typeof claimAgain>[1] & { intents: DepositIntents }

const leastWaitMs = 5_000

/**
 * Where this deposit goes: the user's intent as it is now, kept for good. A retry keeps the one it was matched with.
 * Without an intent the deposit waits; the intent's arrival wakes it.
 */
export const matchIntent =
  ({ intents, now, ...ports }: Ports): Step =>
  async (execution) => {
    const { id, organizationId, userId, deposit, facts, refundOf } = execution
    if (facts.intent) return { type: 'intent matched' }
    const unanswered = facts.isUnclaimed && refundOf === null && (await claimAgain(execution, { now, ...ports }))
    if (unanswered) return unanswered
    const stored = await intents.load(deposit.account)
    if (!stored) {
      const waitedMs = facts.waiting ? now() - facts.waiting.since : 0
      return { askAgainInMs: pollMs(waitedMs, leastWaitMs), waitingFor: 'INTENT' }
    }
    // What a bridge sent back has paid its protocol fee.
    const intent = { ...snapshotOf(stored), ...(refundOf !== null && { protocolFeeBps: 0 }) }
    const routeId = routeIdOf({ organizationId, userId, executionId: id, intent })
    return { type: 'intent matched', facts: { intent, routeId } }
  }
