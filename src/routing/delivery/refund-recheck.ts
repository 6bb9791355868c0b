import type { Execution } from '../../domain/execution/execution'
import { amountOf } from '../../domain/money/amount'
import type { Executions } from '../../ports/executions'
import type { Refunds } from '../../ports/refunds'
import type { StepOutcome } from '../engine/step'
import { waitedMs } from '../engine/waited-ms'

type Ports = { refunds?: Refunds; executions: Pick<Executions, 'save'>; now: () => number }

const leastWaitMs = 2_000
/** A refund that nobody recognises costs a fee: somebody's deposit does not wait longer for that. */
const patienceMs = 2 * 60_000

/**
 * Asks again whether money is what a bridge sent back, when nobody could say as it arrived.
 *
 * @returns null when that is settled, or has taken too long.
 */
export async function recheckRefunds(
  execution: Execution,
  { refunds, executions, now }: Ports,
): Promise<StepOutcome | null> {
  const { id, deposit, facts } = execution
  const { chainId, account, token, amountRaw, txHash } = deposit
  const refund = await refunds?.claim({ id, chainId, account, token, amountRaw: amountOf(amountRaw), txHash })
  if (!refund) return null
  const waited = waitedMs(execution, 'PROVIDER', now)
  // Every question is one to the provider for each bridge under way: it is asked half a dozen times, not fifty.
  const wait = { askAgainInMs: Math.max(leastWaitMs, waited), waitingFor: 'PROVIDER' } as const
  if (refund === 'UNANSWERED') return waited < patienceMs ? wait : null
  // Of the two that write this version the first is right: it is carried on from there.
  await executions.save({
    ...execution,
    refundOf: refund.executionId,
    facts: { ...facts, returns: refund.returns },
    dueAt: now(),
  })
  return wait
}
