import { type Address, sameAddress, zeroAddress } from '../domain/chain/hex'
import type { Route } from '../domain/execution/route'
import { amountOf } from '../domain/money/amount'
import { isNative } from '../domain/money/token'
import type { RouteRequest } from '../ports/aggregator'
import { lifiDiamond } from '../protocols/lifi/diamond'
import { acrossV4, type BridgeFacet, bridgeRules, polymerCctp, stargateV2 } from './bridges'
import type { RouteRule } from './function-rule'
import { swapRules } from './swap-facet'

/**
 * The list of bridges. A facet belongs here only when its calldata contains everything that decides where the money
 * goes: every receiver, the chain, the token, the minimum output, and the recipient of a refund.
 */
const facets: readonly BridgeFacet[] = [acrossV4, stargateV2, polymerCctp]

/** The bridges that LI.FI may use, by its names: those whose calldata can be read. */
export const lifiBridges: readonly string[] = facets.flatMap(({ tools }) => tools)

/**
 * The calls that are allowed; any other is refused. The executor enforces its own rules on chain, with guards that
 * check the same, and both must agree.
 */
export const lifiRules = (target: Address = lifiDiamond): RouteRule[] =>
  [...facets.flatMap(bridgeRules), ...swapRules].map((rule) => ({ ...rule, target }))

/**
 * How an offered route differs from the request, in a sentence; null when it does not. The signer checks the same
 * again. Here a false route is only dropped from the candidates; at the signer it would end the execution.
 */
export const routeObjection =
  (rules: readonly RouteRule[], { now }: { now: () => number }) =>
  ({ kind, call, amountIn, amountOutMin }: Route, request: RouteRequest): string | null => {
    if (call === null) return 'It has no call.'
    if (amountOf(amountIn) !== request.amountIn) return 'It is for another amount.'
    const data = call.data.toLowerCase() as typeof call.data
    const rule = rules.find(
      (each) => each.kind === kind && sameAddress(each.target, call.target) && data.startsWith(each.selector),
    )
    if (!rule) return 'Its call is not on the allow-list.'
    const spender = isNative(request.fromToken) ? zeroAddress : rule.target
    if (!sameAddress(call.spender, spender)) return 'It asks for an approval of another spender.'
    const { account, fromChainId, fromToken: token, amountIn: amount, toChainId, toToken: tokenOut } = request
    const asked = { account, fromChainId, token, amount, toChainId, tokenOut, recipient: request.recipient }
    const time = Math.floor(now() / 1000)
    const demand = { ...asked, minOut: amountOf(amountOutMin), nativeFee: amountOf(call.nativeFee), time }
    try {
      const objection = rule.objection(data, demand)
      return objection && `Its call ${objection}.`
    } catch {
      return 'Its call cannot be decoded.'
    }
  }
