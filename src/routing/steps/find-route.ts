import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { quotaPollMs } from '../../domain/execution/retry'
import { amountOf } from '../../domain/money/amount'
import { splitDeposit } from '../../domain/money/fees'
import type { RouteGas } from '../../gas/route-gas'
import type { Limits } from '../../ports/limits'
import type { Step } from '../engine/step'
import { type QuotePorts, type Routing, requestOf, routeAfterGas } from '../pricing/quotes'

/** Poll interval while another deposit measures the gas of routes like this one. */
const measuredPollMs = 500

/**
 * Finds the best route within the policy. The requested amount is the deposit without the protocol fee, and without
 * the gas of such a route if that was measured. Every candidate is stored.
 */
export const findRoute =
  (ports: Routing & { limits: Limits; routeGas: RouteGas }): Step =>
  async (execution) => {
    const { id, organizationId, facts } = execution
    const { limits, routeGas, quoting, now } = ports
    if (await isDust(execution, quoting, limits)) throw new RoutingError('FEES_EXCEED_DEPOSIT')
    const isCounted = facts.quotaKey !== undefined // a retry is already counted in the quota
    const quota = isCounted ? 'YES' : await limits.hasQuota(execution, now())
    if (quota === 'NO') throw new RoutingError('MONTHLY_QUOTA_REACHED')
    if (quota === 'SOON') return { retryInMs: quotaPollMs, waitingFor: 'QUOTA' }
    const policy = await limits.policyOf(organizationId)
    if (policy.requiresSponsoredGas && !facts.intent!.sponsoredGas) throw new RoutingError('ROUTE_OUTSIDE_POLICY')
    const totalReceivedRaw = amountOf(facts.balance!.totalReceivedRaw)
    const { protocolFeeBps } = facts.intent!
    const { amountForSwapRaw } = splitDeposit({ totalReceivedRaw, protocolFeeBps, gasFeeRaw: 0n })
    if (amountForSwapRaw <= 0n) throw new RoutingError('FEES_EXCEED_DEPOSIT')
    const request = requestOf(execution, amountForSwapRaw, policy)
    // A preview never waits for a measurement.
    if (quoting.purpose !== 'PREVIEW' && !(await routeGas.mayAsk(execution)))
      return { retryInMs: measuredPollMs, waitingFor: 'PROVIDER' }
    const amounts = await routeGas.amounts(execution)
    const wholeRaw = amountForSwapRaw
    const quoted = await routeAfterGas(id, request, ports, { reason: 'FIRST', amounts, wholeRaw })
    return { type: 'route found', facts: { ...quoted, policy } }
  }

/** Whether the deposit's value is below the dust floor. This ends it, so one source's price is not enough. */
async function isDust(execution: Execution, { appraiser }: QuotePorts, { dustFloorUsd }: Limits): Promise<boolean> {
  const { chainId, token } = execution.deposit
  const usd = await appraiser.mostUsd(chainId, token, amountOf(execution.facts.balance!.totalReceivedRaw))
  return usd !== null && usd < dustFloorUsd
}
