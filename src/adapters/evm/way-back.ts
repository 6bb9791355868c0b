import { encodeFunctionData, parseAbi } from 'viem/utils'
import { type Address, type Hash, type Hex, zeroAddress } from '../../domain/chain/hex'
import { asBytes, asWord } from './rpc/answers'
import type { Ask } from './rpc/json-rpc'

const abi = parseAbi([
  'function capOf(address token) view returns (uint32 day, uint112 limit, uint112 spent)',
  'function stoppedAt(uint8 what, bytes32 key) view returns (uint64)',
])
/** What the executor's settings call a cap. */
const capItem = 5

/**
 * Whether the RecoveryExecutor would give a token back, by the same question that it asks itself: whether the
 * RouteExecutor remembers no cap of it. The contract asks again when an order is carried out.
 */
export const wayBack =
  (ask: Ask, { executor, recoveryExecutor }: { executor: Address; recoveryExecutor: Address | null }) =>
  async (token: Address): Promise<boolean> => {
    if (!recoveryExecutor || token === zeroAddress) return false
    const read = async (data: Hex): Promise<Hex> => asBytes(await ask('eth_call', [{ to: executor, data }, 'latest']))
    const key: Hash = `0x${token.slice(2).toLowerCase().padStart(64, '0')}`
    const [cap, stopped] = await Promise.all([
      read(encodeFunctionData({ abi, functionName: 'capOf', args: [token] })),
      read(encodeFunctionData({ abi, functionName: 'stoppedAt', args: [capItem, key] })),
    ])
    const [day, limit] = [wordAt(cap, 0), wordAt(cap, 1)]
    return day === 0n && limit === 0n && asWord(stopped) === 0n
  }

const wordAt = (bytes: Hex, n: number): bigint => asWord(`0x${bytes.slice(2 + 64 * n, 2 + 64 * (n + 1))}`)
