import { RoutingError } from '../../domain/error'
import type { Block } from '../../ports/chain-client'
import { asAmount, asHash, asNumber, asObject, toQuantity } from './answers'
import type { Ask } from './json-rpc'
import { shared } from './shared'

export type Head = Block & { baseFee: bigint }

/** Many executions look at the head at once: for this long they share one answer. */
const sharedMs = 20

/** The chain's tip, and the depth at which it stays. */
export function heads(ask: Ask, confirmations: number) {
  const head = shared(async () => headOf(await ask('eth_getBlockByNumber', ['latest', false])), sharedMs)
  let stays: Block | null = null

  /** The newest ever seen: a node that lags behind another does not take back what was confirmed. */
  const confirmed = shared(async (): Promise<Block> => {
    const { number } = await head()
    const depth = Math.max(0, number - (confirmations - 1))
    if (stays && depth <= stays.number) return stays
    const block = await blockAt(depth)
    if (block && (!stays || block.number > stays.number)) stays = block
    if (!stays) throw new RoutingError('RPC_FAILED', { cause: new Error('The node lags behind the one before it') })
    return stays
  }, sharedMs)

  async function blockAt(number: number): Promise<Block | null> {
    const answer = await ask('eth_getBlockByNumber', [toQuantity(number), false])
    return answer === null ? null : blockOf(answer)
  }

  return { head, confirmed, blockAt }
}

function blockOf(answer: unknown): Block {
  const { number, hash, timestamp } = asObject(answer)
  return { number: asNumber(number), hash: asHash(hash), time: asNumber(timestamp) }
}

const headOf = (answer: unknown): Head => ({
  ...blockOf(answer),
  baseFee: asAmount(asObject(answer)['baseFeePerGas'] ?? '0x0'),
})
