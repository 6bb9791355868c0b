import type { IntentSnapshot } from '../domain/deposit/deposit-intent'
import { RoutingError } from '../domain/error'
import type { Execution } from '../domain/execution/execution'
import { RoutingPaused, TemporarilyUnavailable, WorthUnknown } from '../domain/unavailable'
import { assurePayable, type Payable } from '../routing/engine/payable'
import type { Step, Steps } from '../routing/engine/step'

const previewed = ['screenDeposit', 'findRoute', 'priceFees'] as const

/**
 * Runs the steps of a real deposit up to signing, for money that need not exist. It stores nothing and signs nothing.
 *
 * @param deposit A record like the intake's.
 * @returns The record with its fees and its route.
 * @throws {RoutingError} the error that would end or delay the deposit.
 * @throws {WorthUnknown} if the deposit would wait for an operator.
 * @throws {RoutingPaused} if a pause would hold the deposit.
 */
export const preview =
  (steps: Pick<Steps, (typeof previewed)[number]>, payable: Payable) =>
  async (deposit: Execution, intent: IntentSnapshot, routeId: Execution['facts']['routeId']): Promise<Execution> => {
    let record: Execution = {
      ...deposit,
      facts: {
        intent,
        routeId: routeId!,
        quotaKey: 'preview',
        balance: { totalReceivedRaw: deposit.deposit.amountRaw, block: 0 },
      },
    }
    for (const name of previewed) record = after(record, await (steps[name] as Step)(record).catch(throwUnavailable))
    const fees = record.facts.fees!
    if (fees.amountForSwapRaw === '0' || fees.amountForSwapRaw.startsWith('-'))
      throw new RoutingError('FEES_EXCEED_DEPOSIT')
    await assurePayable(record, payable)
    return record
  }

/**
 * Converts a wait to an error. A real deposit would wait; the caller of a preview immediately learns which service is
 * unavailable.
 */
function throwUnavailable(error: unknown): never {
  if (error instanceof WorthUnknown || error instanceof RoutingPaused) throw error
  const isNode = error instanceof TemporarilyUnavailable && error.waitingFor === 'NODE'
  if (isNode) throw new RoutingError('RPC_UNREACHABLE', { cause: error })
  throw error instanceof TemporarilyUnavailable ? new RoutingError('PROVIDER_UNREACHABLE', { cause: error }) : error
}

function after(record: Execution, outcome: Awaited<ReturnType<Step>>): Execution {
  if ('failure' in outcome) throw new RoutingError(outcome.failure.code)
  if ('retryInMs' in outcome)
    throw outcome.waitingFor === 'PAUSE' ? new RoutingPaused() : new RoutingError('RPC_UNREACHABLE')
  return { ...record, facts: { ...record.facts, ...outcome.facts } }
}
