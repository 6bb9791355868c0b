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

/** What the executor remembers of a token's cap. */
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
 * Whether no holder took the cap of a token away by a stop or by `lowerCap`. With a limit of zero, the token then never
 * had a cap, or the admin ended it on purpose after the delay.
 */
export const isCapUntouched = async (ask: Ask, executor: Address, token: Address): Promise<boolean> =>
  (await capMemory(ask, executor, token)).stoppedAt === 0n

/**
 * Whether the RecoveryExecutor would give a token back, by the same question that it asks itself: whether the
 * RouteExecutor remembers no cap of it. The contract asks again when an order is carried out.
 */
export const wayBack =
  (ask: Ask, { executor, recoveryExecutor }: { executor: Address; recoveryExecutor: Address | null }) =>
  async (token: Address): Promise<boolean> => {
    if (!recoveryExecutor || token === zeroAddress) return false
    const { day, limit, stoppedAt } = await capMemory(ask, executor, token)
    return day === 0n && limit === 0n && stoppedAt === 0n
  }

const wordAt = (bytes: Hex, n: number): bigint => asWord(`0x${bytes.slice(2 + 64 * n, 2 + 64 * (n + 1))}`)
