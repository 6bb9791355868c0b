import type { Address } from '../domain/chain/hex'
import { lifiDiamond } from '../protocols/lifi/diamond'
import { type BridgeFacet, bridgeRules } from './bridge-facet'
import { acrossV4, polymerCctp, stargateV2 } from './bridges'
import type { RouteRule } from './function-rule'
import { swapRules } from './swap-facet'

/**
 * The list of bridges. A facet belongs here only when its calldata contain everything that decides where the money
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
