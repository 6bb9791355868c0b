import { believedTime } from '../../domain/chain/block-time'
import { RoutingError } from '../../domain/error'
import type { Block } from '../../ports/chain-client'
import { cachedCall } from './cached-call'
import { asAmount, asHash, asNumber, asObject, toQuantity } from './rpc/answers'
import type { Ask } from './rpc/json-rpc'

export type Head = Block & { baseFee: bigint }

/** Executions that ask for the head within this time share one answer. */
const sharedMs = 20

/** A larger step of the confirmed block is believed only of a node that also knows the previous one. */
const stepMax = 256
/** How long a node may lag behind another one. */
const lagMaxMs = 120_000

/**
 * The head of the chain and its newest confirmed block.
 *
 * @param now milliseconds of a monotonic clock.
 */
export function heads(ask: Ask, confirmations: number, now = () => performance.now()) {
  const lately = <Answer>(look: () => Promise<Answer>) => cachedCall(look, sharedMs, now)
  const head = lately(async () => headOf(await ask('eth_getBlockByNumber', ['latest', false])))
  let stays: Block | null = null
  let belowSince: number | null = null

  /**
   * The newest confirmed block ever seen, because a lagging node must not unconfirm a block. A single wrong answer does
   * not stick either: a large step needs a node that knows the previous block, and a block that no node reaches again
   * is dropped.
   */
  const confirmed = lately(async (): Promise<Block> => {
    const { number } = await head()
    const depth = Math.max(0, number - (confirmations - 1))
    if (stays && depth === stays.number) belowSince = null
    if (stays && depth < stays.number) {
      belowSince ??= now()
      if (now() - belowSince > lagMaxMs) stays = null
    }
    if (stays && depth <= stays.number) return stays
    belowSince = null
    const block = await blockAt(depth)
    if (block && (!stays || block.number > stays.number)) {
      if (stays && block.number - stays.number > stepMax) await assureKnows(stays)
      stays = block
    }
    if (!stays) throw new RoutingError('RPC_FAILED', { cause: new Error('The node lags behind the one before it') })
    return stays
  })

  async function assureKnows({ number, hash }: Block): Promise<void> {
    if ((await blockAt(number))?.hash === hash) return
    stays = null // whichever of the two is wrong: the next look begins anew
    throw new RoutingError('RPC_FAILED', { cause: new Error('The node does not know what was confirmed') })
  }

  async function blockAt(number: number): Promise<Block | null> {
    const answer = await ask('eth_getBlockByNumber', [toQuantity(number), false])
    return answer === null ? null : blockOf(answer)
  }

  return { head, confirmed, blockAt }
}

/** A block time is never later than our own clock allows, because orders expire by it. */
function blockOf(answer: unknown): Block {
  const { number, hash, timestamp } = asObject(answer)
  return { number: asNumber(number), hash: asHash(hash), time: believedTime(asNumber(timestamp), Date.now()) }
}

const headOf = (answer: unknown): Head => ({
  ...blockOf(answer),
  baseFee: asAmount(asObject(answer)['baseFeePerGas'] ?? '0x0'),
})
