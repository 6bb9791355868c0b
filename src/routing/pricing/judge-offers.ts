import type { Policy, Route } from '../../domain/execution/route'
import { amountOf } from '../../domain/money/amount'
import { nativeFeeExchange, type Offer, settled, type Verdict } from '../../domain/money/worth'
import type { ReadableRoute, RouteRequest } from '../../ports/gate'
import type { Appraiser } from '../../ports/prices'

/**
 * Why an offer may not be taken, as a sentence: permanently (`objection`) or for now (`doubt`). Both are absent if it
 * may be taken.
 */
export type Judged = { objection?: string; doubt?: string }

/**
 * Judges every offer against the policy. No price is fetched for an offer whose own figures already exceed the policy.
 */
export async function judgeOffers(
  routes: readonly ReadableRoute[],
  request: RouteRequest,
  appraiser: Appraiser,
): Promise<ReadonlyMap<ReadableRoute, Judged>> {
  const sound = routes.filter((route) => objectionTo(route, request.policy) === null)
  const offers = sound.map(offerOf)
  const judge = async (route: ReadableRoute): Promise<[ReadableRoute, Judged]> => {
    const objection = objectionTo(route, request.policy)
    return [route, objection ? { objection } : await judgedByWorth(route, offers, request, appraiser)]
  }
  return new Map(await Promise.all(routes.map(judge)))
}

function objectionTo(route: Route, policy: Policy): string | null {
  const { slippageBps, expectedSeconds, hops, amountOutExpected, amountOutMin } = route
  if (slippageBps > policy.slippageBps) return 'It allows more slippage than the policy.'
  if (expectedSeconds > policy.maxDurationSeconds) return 'It takes longer than the policy allows.'
  if (hops > policy.maxHops) return 'It has more hops than the policy allows.'
  if (amountOf(amountOutMin) * 10_000n < amountOf(amountOutExpected) * BigInt(policy.minOutputBps))
    return 'It guarantees less than the policy requires.'
  return null
}

async function judgedByWorth(
  route: Route,
  others: readonly Offer[],
  request: RouteRequest,
  appraiser: Appraiser,
): Promise<Judged> {
  const { fromChainId, fromToken, toChainId, toToken, policy, approvedOutMin = null } = request
  const [amountIn, amountOut] = [amountOf(route.amountIn), amountOf(route.amountOutMin)]
  const shareBps = policy.minOutputBps
  const side = { chainId: fromChainId, token: fromToken }
  const nativeFee = amountOf(route.call?.nativeFee ?? '0')
  const pays = { fromChainId, fromToken, amountIn, toChainId, toToken, amountOut, shareBps, quotedBy: route.provider }
  const [verdict, onTop] = await Promise.all([
    appraiser.judge(pays).then((said) => settled(said, offerOf(route), { others, shareBps, approvedOutMin })),
    nativeFee > 0n
      ? appraiser.judge(nativeFeeExchange(side, amountIn, nativeFee, route.provider))
      : ('ENOUGH' as const),
  ])
  if (verdict === 'POOR')
    return { objection: 'Its guaranteed output is worth less than the policy’s share of the input.' }
  if (onTop === 'POOR') return { objection: 'It requires too much extra native coin.' }
  if (verdict !== 'ENOUGH') return { doubt: doubts[verdict] + (approvedOutMin === null ? '' : lessThanApproved) }
  return onTop === 'ENOUGH' || approvedOutMin !== null ? {} : { doubt: doubts[onTop] }
}

const doubts: Record<Exclude<Verdict, 'ENOUGH' | 'POOR'>, string> = {
  UNPRICED: 'No two independent sources report its value.',
  UNCLEAR: 'Independent sources report values that are too far apart, or too close to the policy’s share.',
}
const lessThanApproved = ' It guarantees less than an operator approved.'

const offerOf = ({ provider, amountOutMin, amountOutExpected }: Route): Offer => ({
  provider,
  amountOutMin: amountOf(amountOutMin),
  amountOutExpected: amountOf(amountOutExpected),
})
