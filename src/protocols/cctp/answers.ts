import { parseAbi } from 'viem/utils'
import type { Hex } from '../../domain/chain/hex'
import { type } from '../../domain/schema'

/**
 * The response to GET /v2/burn/USDC/fees/{from}/{to}: Circle's minimum fee in basis points, which may be fractions, for
 * each of its two finalities.
 */
export const CctpFees = type({ finalityThreshold: 'number.integer >= 0', minimumFee: '0 <= number <= 100' })
  .array()
  .atMostLength(20)
export type CctpFees = typeof CctpFees.infer

/** The response to GET /v2/fastBurn/USDC/allowance: the USDC that Circle now mints before their burns are final. */
export const CctpAllowance = type({ allowance: '0 <= number <= 1000000000000' })

/**
 * The response to GET /v2/messages/{domain}: all messages of one transaction. Each is read separately, because the
 * others belong to strangers.
 */
export const CctpMessages = type({ messages: type('unknown').array().atMostLength(1_000) })

/** One message. Until Circle has attested it, text replaces the bytes. */
export const CctpMessage = type({
  status: 'string <= 100',
  'message?': 'string | null',
  'attestation?': 'string | null',
  'delayReason?': 'unknown',
})

/** A message and the signatures of its attesters, of 65 bytes each. */
export const CctpAttested = type({
  message: type(/^0x([0-9a-fA-F]{2}){1,10000}$/).as<Hex>(),
  attestation: type(/^0x([0-9a-fA-F]{130}){1,20}$/).as<Hex>(),
})

/**
 * The state of Circle's contracts, in general and for an address. Source: circlefin/evm-cctp-contracts at 4061786,
 * src/roles/v2/Denylistable.sol, src/roles/TokenController.sol and src/roles/Pausable.sol, and circlefin/stablecoin-evm
 * at 46e61d0, contracts/v1/Blacklistable.sol and contracts/v1/Pausable.sol.
 */
export const circleStatusAbi = parseAbi([
  'function paused() view returns (bool)',
  'function isBlacklisted(address account) view returns (bool)',
  'function isDenylisted(address account) view returns (bool)',
  'function burnLimitsPerMessage(address token) view returns (uint256)',
])
