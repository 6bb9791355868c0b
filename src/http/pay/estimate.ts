import { BoundedMap } from '../../domain/bounded-map'
import type { Account } from '../../domain/chain/account'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import { snapshotOf } from '../../domain/deposit/deposit-intent'
import { RoutingError } from '../../domain/error'
import { routeIdOf } from '../../domain/execution/route'
import type { Token } from '../../domain/money/token'
import type { Preview } from '../../ports/prices'
import { simulatedExecution } from '../routes/simulate-deposit'

/** What a deposit of an amount would cost and deliver, at a time. Amounts are atomic units. */
type Priced = { kind: 'PRICED'; at: number; gasFeeRaw: bigint; amountOutRaw: bigint }
/**
 * An estimate for the payer. PENDING: it is being made. UNKNOWN: it cannot be made now. REFUSED: a deposit of this
 * amount would fail.
 */
export type Estimate = Priced | { kind: 'PENDING' | 'UNKNOWN' | 'REFUSED' }

type EstimateRequest = { account: Account; intent: DepositIntent; token: Token; amountRaw: bigint }
type Ports = { preview: Preview; now: () => number; countPreview: (accountId: string) => void }
type Last = { at: number; estimate: Estimate; isRunning: boolean }

/** After the first age an estimate is computed again; after the second it is no longer shown. */
const freshMs = { PRICED: 30_000, REFUSED: 30_000, UNKNOWN: 10_000, PENDING: 0 } as const
const staleMs = 120_000
/** A page waits this long for an estimate. Its next update has the result. */
const patienceMs = 2_000
const estimatesMax = 2_000

/**
 * Estimates deposits with the steps of a real one. Every open page polls every few seconds, so estimates are cached by
 * account, intent, token and amount, and `countPreview` limits them.
 */
export function estimates({ preview, now, countPreview }: Ports): (request: EstimateRequest) => Promise<Estimate> {
  const lastEstimates = new BoundedMap<string, Last>(estimatesMax)

  async function made({ account, intent, token, amountRaw }: EstimateRequest): Promise<Estimate> {
    const { organizationId, userId, id } = account
    const body = { userId, amountInAtomic: String(amountRaw) }
    const deposit = simulatedExecution(body, token, id, organizationId, now())
    const terms = snapshotOf(intent)
    const routeId = routeIdOf({ organizationId, userId, executionId: deposit.id, intent: terms })
    try {
      countPreview(id)
      const { fees, route } = (await preview(deposit, terms, routeId)).facts
      const amounts = { gasFeeRaw: BigInt(fees!.gasFeeRaw), amountOutRaw: BigInt(route!.amountOutExpected) }
      return { kind: 'PRICED', at: now(), ...amounts }
    } catch (error) {
      const isFinal = error instanceof RoutingError && !error.retryable
      return { kind: isFinal ? 'REFUSED' : 'UNKNOWN' }
    }
  }

  return async (request) => {
    const { account, intent, token, amountRaw } = request
    const key = [account.id, intent.version, token.chainId, token.address, amountRaw].join(' ')
    const last = lastEstimates.get(key)
    const ageMs = last ? now() - last.at : Number.POSITIVE_INFINITY
    if (last && (last.isRunning || ageMs < freshMs[last.estimate.kind])) return last.estimate
    const shown: Estimate = last && ageMs < staleMs ? last.estimate : { kind: 'PENDING' }
    lastEstimates.set(key, { at: last?.at ?? now(), estimate: shown, isRunning: true })
    const making = made(request).then((estimate) => {
      lastEstimates.set(key, { at: now(), estimate, isRunning: false })
      return estimate
    })
    return soon(making, shown)
  }
}

/** Returns the result, or `otherwise` if it takes longer than a page can wait. */
async function soon(making: Promise<Estimate>, otherwise: Estimate): Promise<Estimate> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<Estimate>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), patienceMs)
  })
  return Promise.race([making, late]).finally(() => clearTimeout(timer))
}
