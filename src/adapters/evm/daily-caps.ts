import { BoundedMap } from '../../domain/bounded-map'
import { type ChainId, type ChainKey, chainKeyOf, chainOf } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { TemporarilyUnavailable } from '../../domain/unavailable'
import type { Telemetry } from '../../ports/telemetry'
import { cachedCall } from './cached-call'
import { limitOf } from './deployment'
import { nodes } from './rpc/nodes'

type Settings = { rpcUrls: Record<ChainKey, readonly string[]>; executor: Address; telemetry: Telemetry }

/** A cap takes days to be raised, and what is lowered holds on the chain at once. */
const sharedMs = 60_000
const tokensMax = 10_000
const [timeoutMs, askAgainMs] = [5_000, 2_000]

/**
 * Reads what the executor lets out of a token on a chain in a day.
 *
 * @throws {TemporarilyUnavailable} while no node of the chain tells.
 */
export function dailyCaps({ rpcUrls, executor, telemetry }: Settings) {
  const known = new BoundedMap<string, () => Promise<bigint>>(tokensMax)

  async function read(chainId: ChainId, token: Address): Promise<bigint> {
    const urls = rpcUrls[chainKeyOf(chainId)]
    const ask = nodes({ chainId, rpcUrls: urls, timeoutMs, isAnswer: () => false, telemetry })
    try {
      return await limitOf(ask, executor, token, 'latest')
    } catch (cause) {
      throw new TemporarilyUnavailable(chainOf(chainId).name, askAgainMs, 'NODE', { cause })
    }
  }

  return (chainId: ChainId, token: Address): Promise<bigint> => {
    const key = `${chainId}:${token.toLowerCase()}`
    const ask = known.get(key) ?? cachedCall(() => read(chainId, token), sharedMs)
    known.set(key, ask)
    return ask()
  }
}
