import type { Address } from '../domain/chain/hex'
import { cctpRules } from './cctp-burn'
import type { RouteRule } from './function-rule'
import { relayRules } from './relay-deposit'
import { lifiRules } from './route-rules'

/** What of the configuration says which providers an installation uses. LI.FI is always one of them. */
type Configured = { relayUrl: string | null; relaySolver: Address; cctpUrl: string | null }

/** The calls that may be signed: those of the providers that are configured. */
export const rulesFor = ({ relayUrl, relaySolver, cctpUrl }: Configured): RouteRule[] => [
  ...lifiRules(),
  ...(relayUrl ? relayRules(relaySolver) : []),
  ...(cctpUrl ? cctpRules() : []),
]

/** The calls that the contracts admit, whichever providers are configured. */
export const deployedRules = (relaySolver: Address): RouteRule[] => [
  ...lifiRules(),
  ...relayRules(relaySolver),
  ...cctpRules(),
]
