import type { Address } from '../domain/chain/hex'
import { lifiDiamond } from '../protocols/lifi/diamond'
import { acrossV4 } from './across-v4-facet'
import { type BridgeFacet, bridgeRules } from './bridge-facet'
import type { RouteRule } from './function-rule'
import { polymerCctp } from './polymer-cctp-facet'
import { stargateV2 } from './stargate-v2-facet'
import { swapRules } from './swap-facet'

/**
 * THE list of bridges. A facet belongs here only when its calldata say all that decides where the money goes: every
 * receiver, the chain, the token and the minimum that arrive, and who gets what comes back.
 */
const facets: readonly BridgeFacet[] = [acrossV4, stargateV2, polymerCctp]

/** What LI.FI may be asked to bridge with, in its names: the tools whose calldata can be read. */
export const lifiBridges: readonly string[] = facets.flatMap(({ tools }) => tools)

/**
 * What may be called; anything else is refused. The executor has rules of its own on chain, with guards that hold the
 * same, and both must agree.
 */
export const lifiRules = (target: Address = lifiDiamond): RouteRule[] =>
  [...facets.flatMap(bridgeRules), ...swapRules].map((rule) => ({ ...rule, target }))
