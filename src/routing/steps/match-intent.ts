import { snapshotOf } from '../../domain/deposit-intent'
import { pollMs } from '../../domain/retry'
import { routeIdOf } from '../../domain/route'
import type { DepositIntents } from '../../ports/tenants'
import type { Step } from '../advance'

const leastWaitMs = 5_000

/**
 * Where this deposit goes: the user's intent as it is now, kept for good. A retry keeps the one it was matched with.
 * Without an intent the deposit waits; the intent's arrival wakes it.
 */
export const matchIntent =
  ({ intents, now }: { intents: DepositIntents; now: () => number }): Step =>
  async ({ id, organizationId, userId, deposit, facts, refundOf }) => {
    if (facts.intent) return { type: 'intent matched' }
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
