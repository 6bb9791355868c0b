import { chainOf } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import { RoutingError } from '../domain/error'
import type { Signable } from '../domain/execution/execution'
import type { Order } from '../domain/execution/route'
import { amountOf } from '../domain/money/amount'
import { intentObjection, type Seals, shareBpsOf, withoutForgedWorth } from '../domain/seals'
import type { Signing, SigningKey, SigningRequest } from '../ports/signer'
import { type Executors, orderDigest, type Terms } from '../protocols/executor/signed-order'
import type { RouteRule } from './function-rule'
import { lifiRules } from './route-rules'
import { executorUnder, must, pricedSplit, SigningRefusal, termsOf } from './terms'
import { assureWorth, type WorthPorts } from './worth'

/** The rules that decide which orders are allowed. */
export type OrderRules = Executors & {
  registry: Address
  collector: Address
  /** The allowed calls. */
  rules?: readonly RouteRule[]
}

export type SignerSettings = OrderRules &
  WorthPorts & {
    key: SigningKey
    /** The seals that verify intents, because a record alone does not prove its author. */
    seals: Seals
  }

/** The gas limit of a record that has none. */
export const gasLimitDefault = '1500000'

/** A signer that can also repeat an earlier signature. */
export type RepeatableSigning = Signing & {
  /**
   * Signs again an order whose value was judged when it was first signed.
   *
   * @returns null if the request is for a different order.
   */
  signAgain(request: SigningRequest, orderId: Hash): Promise<Order | null>
}

/**
 * Signs orders after two checks: the calldata does what the sealed intent states, and independent price sources value
 * the output highly enough for the input. It reads no store and trusts no requester.
 */
export function signing({ key, seals, ...settings }: SignerSettings): RepeatableSigning {
  /** The terms of the requested order, if it may be signed at all. */
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
    must(organization === null || organization.id === execution.organizationId, 'The limits belong to another tenant')
    const limits = { gasLimit: amountOf(gasLimit), shareBps: shareBpsOf(seals, organization) }
    await assureWorth(withoutForgedWorth(seals, execution), terms, limits, settings)
  }

  return {
    sign: (request) =>
      withRefusalCode(async () => {
        const order = allowed(request)
        await assureWorthOf(request, order.terms, order.gasLimit)
        return signed(order)
      }),
    signAgain: (request, orderId) =>
      withRefusalCode(async () => {
        const order = allowed(request)
        return order.id === orderId ? signed(order) : null
      }),
    verifyIntent: async (execution) => intentObjection(seals, execution),
  }
}

/**
 * The requested order, except for its signature.
 *
 * @throws {SigningRefusal} naming the first violated rule.
 */
export function unsignedOrder({ execution, deadline, accountSalt }: SigningRequest, settings: OrderRules) {
  const { rules = lifiRules() } = settings
  const { facts, deposit } = execution
  must(facts.routeId !== undefined, 'There is no routeId')
  const gasLimit = facts.gasLimit ?? gasLimitDefault
  const how = { accountSalt, deadline, gasLimit: amountOf(gasLimit), splitBy: pricedSplit }
  const terms = termsOf(execution, how, { ...settings, rules })
  // The limit bounds the gas fee, so the limit itself needs a bound.
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

/** Turns a refusal into its error code, the only part of it that leaves the signer. */
export async function withRefusalCode<Result>(make: () => Promise<Result>): Promise<Result> {
  try {
    return await make()
  } catch (cause) {
    throw cause instanceof SigningRefusal ? new RoutingError('SIGNER_REFUSED', { cause }) : cause
  }
}
