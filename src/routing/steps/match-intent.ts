import { type IntentSnapshot, snapshotOf, withDepartures } from '../../domain/deposit/deposit-intent'
import { RoutingError } from '../../domain/error'
import type { Execution, Facts } from '../../domain/execution/execution'
import { pollMs, waitedMs } from '../../domain/execution/retry'
import { routeIdOf } from '../../domain/execution/route'
import { amountOf } from '../../domain/money/amount'
import type { Refunds } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { VerifyIntent } from '../../ports/signer'
import type { Accounts, DepositIntents } from '../../ports/tenants'
import { targetLane } from '../engine/passing-on'
import type { Step, StepOutcome } from '../engine/step'

type Ports = RecheckPorts & {
  intents: DepositIntents
  accounts: Pick<Accounts, 'load'>
  verifyIntent: VerifyIntent
}

const leastWaitMs = 5_000

/**
 * Copies the destination of this deposit from the user's current intent. A retry keeps the intent that it was matched
 * with. A deposit that has no intent waits, and the intent's creation wakes it.
 */
export const matchIntent =
  ({ intents, accounts, verifyIntent, refunds, executions, now }: Ports): Step =>
  async (execution) => {
    const { id, organizationId, userId, deposit, facts, refundOf } = execution
    if (facts.intent) {
      const [leading] = await Promise.all([onward(facts.intent, accounts), assureSealed(execution, verifyIntent)])
      return { type: 'intent matched', facts: leading }
    }
    const mayBeRefund = facts.isUnclaimed && refundOf === null
    const unanswered = mayBeRefund && (await recheckRefunds(execution, { refunds, executions, now }))
    if (unanswered) return unanswered
    const stored = await intents.load(deposit.account)
    if (!stored) {
      const waitedMs = facts.waiting ? now() - facts.waiting.since : 0
      return { retryInMs: pollMs(waitedMs, leastWaitMs), waitingFor: 'INTENT' }
    }
    if (stored.organizationId !== organizationId || stored.userId !== userId)
      throw forged('The stored intent belongs to another user')
    const intentSnapshot = snapshotOf(stored)
    // Money that a bridge returned has already paid its protocol fee.
    const intent = refundOf === null ? intentSnapshot : withDepartures(intentSnapshot, { protocolFeeBps: 0 })
    await assureSealed({ ...execution, facts: { intent } }, verifyIntent)
    const routeId = routeIdOf({ organizationId, userId, executionId: id, intent })
    return { type: 'intent matched', facts: { intent, routeId, ...(await onward(intent, accounts)) } }
  }

/** Stores the lane that is paid if the recipient is a deposit address. */
const onward = async (intent: IntentSnapshot, accounts: Ports['accounts']): Promise<Facts> =>
  (await accounts.load(intent.targetAddress)) ? { leadsTo: targetLane(intent) } : {}

/**
 * Checks the intent's seal. The signer checks it again. This check finds a forged intent before any provider is
 * queried, and a new intent repairs it.
 */
async function assureSealed(execution: Execution, verifyIntent: VerifyIntent): Promise<void> {
  const objection = await verifyIntent(execution)
  if (objection) throw forged(objection)
}

const forged = (how: string) => new RoutingError('INTENT_NOT_SEALED', { cause: new Error(how) })

type RecheckPorts = { refunds?: Refunds | undefined; executions: Pick<Executions, 'save'>; now: () => number }

const recheckWaitMs = 2_000
/** Longest wait for the response. An unrecognised refund only costs a fee, so a longer wait is not worth it. */
const patienceMs = 2 * 60_000

/**
 * Checks again whether a bridge returned the money, if no provider answered when it arrived.
 *
 * @returns null if that is settled, or has taken too long.
 */
async function recheckRefunds(
  execution: Execution,
  { refunds, executions, now }: RecheckPorts,
): Promise<StepOutcome | null> {
  const { id, deposit, facts } = execution
  const { chainId, account, token, amountRaw, txHash } = deposit
  const refund = await refunds?.claim({ id, chainId, account, token, amountRaw: amountOf(amountRaw), txHash })
  if (!refund) return null
  const waited = waitedMs(execution, 'PROVIDER', now)
  // Each check costs one request for every bridge under way, so it runs about six times instead of fifty.
  const wait = { retryInMs: Math.max(recheckWaitMs, waited), waitingFor: 'PROVIDER' } as const
  if (refund === 'UNANSWERED') return waited < patienceMs ? wait : null
  // If two workers write this version, the first wins, and the execution continues from its record.
  await executions.save({
    ...execution,
    refundOf: refund.executionId,
    facts: { ...facts, returns: refund.returns },
    dueAt: now(),
  })
  return wait
}
