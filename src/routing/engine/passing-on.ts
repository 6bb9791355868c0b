import type { IntentSnapshot } from '../../domain/deposit/deposit-intent'
import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { laneId } from '../../domain/execution/lane'
import { pollMs, waitedMs } from '../../domain/execution/retry'
import type { Executions } from '../../ports/executions'
import { deliverersOf } from '../../screening/deposit-screening'
import type { StepOutcome } from './step'

/**
 * Most times that our own deliveries pass the same money from one deposit address to another, across organizations.
 * Longer paths have no known use. Addresses that lead to each other would pass money on until fees consume it.
 */
export const passesMax = 3

/** Returns the lane that an intent pays into if its recipient is a deposit address. */
export const targetLane = ({ targetAddress, targetChainId, targetTokenAddress }: IntentSnapshot): string =>
  laneId(targetAddress, targetChainId, targetTokenAddress)

type Ports = { executions: Pick<Executions, 'load' | 'leadingTo'>; now: () => number }

const leastWaitMs = 2_000
/** Largest number of executions whose passes are followed for each step back. Screening reads every deliverer. */
const breadthMax = 16

/** Returns the executions that delivered one of these deposits, or might have. `isSure`: only if that is proved. */
async function passedBy(
  deposits: Execution[],
  isSure: boolean,
  { executions }: Pick<Ports, 'executions'>,
): Promise<Execution[]> {
  const sources = new Map<string, Execution>()
  for (const each of deposits) {
    // Refunded money is traced through the deposit that was sent out.
    let { deposit, refundOf } = each
    while (refundOf !== null) {
      const sent = await executions.load(refundOf)
      if (!sent) break
      ;({ deposit, refundOf } = sent)
    }
    for (const one of await deliverersOf({ deposit }, executions, isSure)) sources.set(one.id, one)
  }
  return [...sources.values()]
}

/** Returns the executions that delivered a deposit or, if a bridge returned it, the deposit that was sent out. */
export const sourcesOf = (execution: Execution, ports: Pick<Ports, 'executions'>): Promise<Execution[]> =>
  passedBy([execution], false, ports)

/** Whether our own deliveries already passed on the delivered money too often. */
async function isOverdone(deliverers: Execution[], isSure: boolean, ports: Ports): Promise<boolean> {
  let way = deliverers
  for (let passes = 1; passes <= passesMax && way.length > 0; passes++)
    way = await passedBy(way.slice(0, breadthMax), isSure, ports)
  return way.length > 0
}

/**
 * Stops money that circulates between deposit addresses. The passes are counted from our own deliveries, across
 * organizations, so no organization learns the intents of another.
 *
 * @param deliverers From `sourcesOf`.
 * @returns The wait while the deposit's deliverer is uncertain and one candidate is at the limit; null if the deposit
 * may go on.
 * @throws {RoutingError} PASSED_ON_TOO_OFTEN
 */
export async function passBlocker(
  execution: Execution,
  deliverers: Execution[],
  ports: Ports,
): Promise<StepOutcome | null> {
  // An operator who re-drives the deposit has allowed it to go on.
  if (execution.redriveOf !== null || !(await isOverdone(deliverers, false, ports))) return null
  const sure = await passedBy([execution], true, ports)
  if (await isOverdone(sure, true, ports)) throw new RoutingError('PASSED_ON_TOO_OFTEN')
  return { retryInMs: pollMs(waitedMs(execution, 'LANE', ports.now), leastWaitMs), waitingFor: 'LANE' }
}
