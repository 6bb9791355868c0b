import { chainOf } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import { RoutingError } from '../domain/error'
import type { Order } from '../domain/execution/route'
import type { Signable } from '../domain/execution/signable'
import { amountOf } from '../domain/money/amount'
import { intentObjection, type Seals, shareBpsOf, withoutForgedWorth } from '../domain/seals'
import type { Signing, SigningKey, SigningRequest } from '../ports/signer'
import { type Executors, orderDigest, type Terms } from '../protocols/executor/signed-order'
import type { RouteRule } from './function-rule'
import { lifiRules } from './route-rules'
import { executorUnder, must, pricedSplit, SigningRefusal, termsOf } from './terms'
import { assureWorth, type WorthPorts } from './worth'

/** What decides which orders are allowed. */
export type OrderRules = Executors & {
  registry: Address
  collector: Address
  /** The calls that are allowed. */
  rules?: readonly RouteRule[]
}

export type SignerSettings = OrderRules &
  WorthPorts & {
    key: SigningKey
    /** The seals by which intents are verified, because a record alone does not prove who wrote it. */
    seals: Seals
  }

/** The gas limit of a record that has none. */
export const gasLimitDefault = '1500000'

/** A signer that can also sign once more what it has signed. */
export type RepeatableSigning = Signing & {
  /**
   * Signs an order again whose worth was judged when it was first signed.
   *
   * @returns Null when the request is for another order than that.
   */
  signAgain(request: SigningRequest, orderId: Hash): Promise<Order | null>
}

/**
 * Signs orders, after verifying that the calldata does what the sealed intent says, and that
 * independent price sources find the output worth the input. It reads no store and trusts nobody who asks.
 */
export function signing({ key, seals, ...settings }: SignerSettings): RepeatableSigning {
  /** The terms of what is asked for, if they may be signed at all. */
  function allowed(request: SigningRequest) {
    assureSealed(seals, request.execution)
    return unsignedOrder(request, settings)
  }
  const signed = async ({ terms, gasLimit, id }: ReturnType<typeof allowed>): Promise<Order> => ({
    ...terms,
    id,
    signature: await key.sign(id),
    gasLimit,
  })
  async function assureWorthOf({ execution, organization }: SigningRequest, terms: Terms, gasLimit: string) {
    must(organization === null || organization.id === execution.organizationId, 'The limits are of another tenant')
    const limits = { gasLimit: amountOf(gasLimit), shareBps: shareBpsOf(seals, organization) }
    await assureWorth(withoutForgedWorth(seals, execution), terms, limits, settings)
  }

  return {
    sign: (request) =>
      refusing(async () => {
        const order = allowed(request)
        await assureWorthOf(request, order.terms, order.gasLimit)
        return signed(order)
      }),
    signAgain: (request, orderId) =>
      refusing(async () => {
        const order = allowed(request)
        return order.id === orderId ? signed(order) : null
      }),
    verifyIntent: async (execution) => intentObjection(seals, execution),
  }
}

/**
 * The order that is asked for, as far as it can be made without a key.
 *
 * @throws {SigningRefusal} naming the first rule that does not hold.
 */
export function unsignedOrder({ execution, deadline, accountSalt }: SigningRequest, settings: OrderRules) {
  const { rules = lifiRules() } = settings
  const { facts, deposit } = execution
  must(facts.routeId !== undefined, 'There is no routeId')
  const gasLimit = facts.gasLimit ?? gasLimitDefault
  const how = { accountSalt, deadline, gasLimit: amountOf(gasLimit), splitBy: pricedSplit }
  const terms = termsOf(execution, how, { ...settings, rules })
  // The gas fee is bounded by the limit, so the limit needs a bound of its own.
  must(amountOf(gasLimit) <= chainOf(deposit.chainId).gasLimitMax, 'The gas limit is too high')
  return {
    terms,
    gasLimit,
    id: orderDigest(terms, { chainId: deposit.chainId, executor: executorUnder(settings, terms.kind) }),
  }
}

function assureSealed(seals: Seals, execution: Signable): void {
  const objection = intentObjection(seals, execution)
  if (objection) throw new RoutingError('INTENT_NOT_SEALED', { cause: new SigningRefusal(objection) })
}

/** Turns a refusal into its code, by which alone it is known outside. */
export async function refusing<Result>(make: () => Promise<Result>): Promise<Result> {
  try {
    return await make()
  } catch (cause) {
    throw cause instanceof SigningRefusal ? new RoutingError('SIGNER_REFUSED', { cause }) : cause
  }
}
