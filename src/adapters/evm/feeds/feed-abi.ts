import { parseAbi } from 'viem/utils'
import type { Address } from '../../../domain/chain/hex'

export const multicall3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** Functions that we use of Chainlink's AggregatorV3Interface, and of Multicall3 to read them at one block. */
export const feedAbi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] results)',
  'function getCurrentBlockTimestamp() view returns (uint256)',
  'function getChainId() view returns (uint256)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function getRoundData(uint80 round) view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function description() view returns (string)',
  'function decimals() view returns (uint8)',
])
