import { sameAddress, zeroAddress } from '../domain/chain/hex'
import type { Route } from '../domain/execution/route'
import { amountOf } from '../domain/money/amount'
import { isNative } from '../domain/money/token'
import type { RouteRequest } from '../ports/aggregator'
import type { RouteRule } from './function-rule'
/**
 * What an offered route does otherwise than was asked for, in a sentence; null for nothing. The signer reads it again:
 * here a provider that lies loses its candidature, there it would cost an execution.
 */
export const routeObjection =
  (rules: readonly RouteRule[], { now }: { now: () => number }) =>
  ({ kind, call, amountIn, amountOutMin }: Route, request: RouteRequest): string | null => {
    if (call === null) return 'It calls nobody.'
    if (amountOf(amountIn) !== request.amountIn) return 'It is for another amount.'
    const data = call.data.toLowerCase() as typeof call.data
    const rule = rules.find(
      (each) => each.kind === kind && sameAddress(each.target, call.target) && data.startsWith(each.selector),
    )
    if (!rule) return 'Its call is not on the list.'
    const spender = isNative(request.fromToken) ? zeroAddress : rule.target
    if (!sameAddress(call.spender, spender)) return 'It asks for an approval for somebody else.'
    const { account, fromChainId, fromToken: token, amountIn: amount, toChainId, toToken: tokenOut } = request
    const asked = { account, fromChainId, token, amount, toChainId, tokenOut, recipient: request.recipient }
    const time = Math.floor(now() / 1000)
    const demand = { ...asked, minOut: amountOf(amountOutMin), nativeFee: amountOf(call.nativeFee), time }
    try {
      const objection = rule.objection(data, demand)
      return objection && `Its call ${objection}.`
    } catch {
      return 'Its call cannot be read.'
    }
  }
