import { aged } from '../../domain/aged'
import { type ChainId, type ChainKey, chainKeyOf, chainOf } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { TemporarilyUnavailable } from '../../domain/unavailable'
import type { Telemetry } from '../../ports/observing'
import { limitOf } from './deployment'
import { nodes } from './rpc/nodes'

type Settings = { rpcUrls: Record<ChainKey, readonly string[]>; executor: Address; telemetry: Telemetry }

/**
 * How long a cap is cached, in milliseconds. Raising a cap takes days, and the chain enforces a lowered cap
 * immediately.
 */
const sharedMs = 60_000
const tokensMax = 10_000
const [timeoutMs, retryMs] = [5_000, 2_000]

/**
 * Reads how much of a token the executor lets out on a chain per day.
 *
 * @throws {TemporarilyUnavailable} while no node of the chain answers.
 */
export function dailyCaps({ rpcUrls, executor, telemetry }: Settings) {
  async function read([chainId, token]: [ChainId, Address]): Promise<bigint> {
    const urls = rpcUrls[chainKeyOf(chainId)]
    const ask = nodes({ chainId, rpcUrls: urls, timeoutMs, isAnswer: () => false, telemetry })
    try {
      return await limitOf(ask, executor, token, 'latest')
    } catch (cause) {
      throw new TemporarilyUnavailable(chainOf(chainId).name, retryMs, 'NODE', { cause })
    }
  }

  const caps = aged(read, {
    ...{ now: () => performance.now(), forMs: sharedMs, from: 'END' },
    ...{ keyOf: ([chainId, token]) => `${chainId}:${token.toLowerCase()}`, most: tokensMax },
  })
  return (chainId: ChainId, token: Address): Promise<bigint> => caps.get([chainId, token])
}
