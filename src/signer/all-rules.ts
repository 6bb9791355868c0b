import type { Address } from '../domain/chain/hex'
import { cctpRules } from './cctp-burn'
import type { RouteRule } from './function-rule'
import { relayRules } from './relay-deposit'
import { lifiRules } from './route-rules'

/** The settings that decide which providers an installation uses. LI.FI is always one of them. */
type Configured = { relayUrl: string | null; relaySolver: Address; cctpUrl: string | null }

/** The calls that may be signed: those of the configured providers. */
export const rulesFor = ({ relayUrl, relaySolver, cctpUrl }: Configured): RouteRule[] => [
  ...lifiRules(),
  ...(relayUrl ? relayRules(relaySolver) : []),
  ...(cctpUrl ? cctpRules() : []),
]

/** The calls that the contracts admit, independent of the configured providers. */
export const deployedRules = (relaySolver: Address): RouteRule[] => [
  ...lifiRules(),
  ...relayRules(relaySolver),
  ...cctpRules(),
]
