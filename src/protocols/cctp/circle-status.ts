import { parseAbi } from 'viem/utils'

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
