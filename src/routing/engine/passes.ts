import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { hasDelivered, passesMax } from '../../domain/execution/passing-on'
import { pollMs, waitedMs } from '../../domain/execution/retry'
import type { Executions } from '../../ports/executions'
import type { StepOutcome } from './step'

type Ports = { executions: Pick<Executions, 'load' | 'leadingTo'>; now: () => number }

const leastWaitMs = 2_000
/** Largest number of executions followed for each step back. */
const breadthMax = 16

/** Returns the executions that delivered one of these deposits or might have; with `isSure`, only those that did. */
async function deliverersOf(deposits: Execution[], isSure: boolean, { executions }: Ports): Promise<Execution[]> {
  const found = new Map<string, Execution>()
  for (const each of deposits) {
    // Money that a bridge returned is the money that was sent out.
    let { deposit, refundOf } = each
    while (refundOf !== null) {
      const sent = await executions.load(refundOf)
      if (!sent) break
      ;({ deposit, refundOf } = sent)
    }
    const leading = await executions.leadingTo(deposit.lane, deposit.txHash)
    const sure = leading.filter((one) => hasDelivered(one, deposit) === 'YES')
    const may = isSure || sure.length > 0 ? sure : leading.filter((one) => hasDelivered(one, deposit) === 'MAYBE')
    for (const one of may) found.set(one.id, one)
  }
  return [...found.values()].slice(0, breadthMax)
}

/** Whether our own deliveries have already passed a deposit's money on too often. */
async function isOverdone(execution: Execution, isSure: boolean, ports: Ports): Promise<boolean> {
  let way = [execution]
  for (let passes = 0; passes <= passesMax; passes++) {
    way = await deliverersOf(way, isSure, ports)
    if (way.length === 0) return false
  }
  return true
}

/**
 * Stops money that circulates between deposit addresses. The passes are counted from our own deliveries, across
 * organizations, so no organization learns the intents of another.
 *
 * @returns The wait while the deposit's deliverer is uncertain and one candidate is at the limit; null if the deposit
 * may go on.
 * @throws {RoutingError} PASSED_ON_TOO_OFTEN
 */
export async function passBlocker(execution: Execution, ports: Ports): Promise<StepOutcome | null> {
  // An operator who re-drives it has decided that it may go on.
  if (execution.redriveOf !== null || !(await isOverdone(execution, false, ports))) return null
  if (await isOverdone(execution, true, ports)) throw new RoutingError('PASSED_ON_TOO_OFTEN')
  return { askAgainInMs: pollMs(waitedMs(execution, 'LANE', ports.now), leastWaitMs), waitingFor: 'LANE' }
}
