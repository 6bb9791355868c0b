import { encodeFunctionData, parseAbi } from 'viem/utils'
import { type Address, type Hash, type Hex, zeroAddress } from '../../domain/chain/hex'
import { asBytes, asWord } from './rpc/answers'
import type { Ask } from './rpc/json-rpc'

const abi = parseAbi([
  'function capOf(address token) view returns (uint32 day, uint112 limit, uint112 spent)',
  'function stoppedAt(uint8 what, bytes32 key) view returns (uint64)',
])
/** Number of caps in the executor's settings, as `stoppedAt` expects it. */
const capItem = 5

/** The executor's memory of a token's cap. */
type CapMemory = { day: bigint; limit: bigint; stoppedAt: bigint }

async function capMemory(ask: Ask, executor: Address, token: Address): Promise<CapMemory> {
  const read = async (data: Hex): Promise<Hex> => asBytes(await ask('eth_call', [{ to: executor, data }, 'latest']))
  const key: Hash = `0x${token.slice(2).toLowerCase().padStart(64, '0')}`
  const [cap, stopped] = await Promise.all([
    read(encodeFunctionData({ abi, functionName: 'capOf', args: [token] })),
    read(encodeFunctionData({ abi, functionName: 'stoppedAt', args: [capItem, key] })),
  ])
  return { day: wordAt(cap, 0), limit: wordAt(cap, 1), stoppedAt: asWord(stopped) }
}

/**
 * Whether no holder removed a token's cap by a stop or by `lowerCap`. With a limit of zero, the token then never had a
 * cap, or the admin ended it on purpose after the delay.
 */
export const isCapUntouched = async (ask: Ask, executor: Address, token: Address): Promise<boolean> =>
  (await capMemory(ask, executor, token)).stoppedAt === 0n

/**
 * Whether the RecoveryExecutor would refund a token. The check is the contract's own: the RouteExecutor remembers no
 * cap of the token. The contract checks again when an order is executed.
 */
export const recoveryCheck =
  (ask: Ask, { executor, recoveryExecutor }: { executor: Address; recoveryExecutor: Address | null }) =>
  async (token: Address): Promise<boolean> => {
    if (!recoveryExecutor || token === zeroAddress) return false
    const { day, limit, stoppedAt } = await capMemory(ask, executor, token)
    return day === 0n && limit === 0n && stoppedAt === 0n
  }

const wordAt = (bytes: Hex, n: number): bigint => asWord(`0x${bytes.slice(2 + 64 * n, 2 + 64 * (n + 1))}`)
