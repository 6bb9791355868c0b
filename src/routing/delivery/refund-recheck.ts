import type { Execution } from '../../domain/execution/execution'
import { waitedMs } from '../../domain/execution/retry'
import { amountOf } from '../../domain/money/amount'
import type { Executions } from '../../ports/executions'
import type { Refunds } from '../../ports/refunds'
import type { StepOutcome } from '../engine/step'

type Ports = { refunds?: Refunds; executions: Pick<Executions, 'save'>; now: () => number }

const leastWaitMs = 2_000
/**
 * How long an execution waits for the answer. An unrecognised refund costs a fee, which is not worth delaying a deposit
 * for longer.
 */
const patienceMs = 2 * 60_000

/**
 * Asks again whether money was sent back by a bridge, when nobody could say so on its arrival.
 * @returns Null when that is settled, or has taken too long.
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
  // Each question costs one request for every bridge under way, so it is asked half a dozen times and not fifty.
  const wait = { askAgainInMs: Math.max(leastWaitMs, waited), waitingFor: 'PROVIDER' } as const
  if (refund === 'UNANSWERED') return waited < patienceMs ? wait : null
  // If two workers write this version, the first is right, and the execution goes on from there.
  await executions.save({
    ...execution,
    refundOf: refund.executionId,
    facts: { ...facts, returns: refund.returns },
    dueAt: now(),
  })
  return wait
}
