import { believedTime } from '../../domain/chain/block-time'
import { RoutingError } from '../../domain/error'
import type { Block } from '../../ports/chain-client'
import { cachedCall } from './cached-call'
import { asAmount, asHash, asNumber, asObject, toQuantity } from './rpc/answers'
import type { Ask } from './rpc/json-rpc'

export type Head = Block & { baseFee: bigint }

/** Many executions look at the head at once: for this long they share one answer. */
const sharedMs = 20

/** A step this long is believed of a node that knows what stood before it, and of no other. */
const stepMax = 256
/** So long a node may lag behind the one before it. */
const lagMaxMs = 120_000

/** The chain's tip, and the depth at which it stays. @param now in milliseconds, by whatever clock runs evenly. */
export function heads(ask: Ask, confirmations: number, now = () => performance.now()) {
  const lately = <Answer>(look: () => Promise<Answer>) => cachedCall(look, sharedMs, now)
  const head = lately(async () => headOf(await ask('eth_getBlockByNumber', ['latest', false])))
  let stays: Block | null = null
  let belowSince: number | null = null

  /**
   * The newest ever seen: a node that lags behind another does not take back what was confirmed. One answer of another
   * chain does not stay: a far step needs a node that knows where it began, and what nobody reaches again is forgotten.
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

/** None is of the future for anybody: what a live order lapses by is no later than our own clock allows. */
function blockOf(answer: unknown): Block {
  const { number, hash, timestamp } = asObject(answer)
  return { number: asNumber(number), hash: asHash(hash), time: believedTime(asNumber(timestamp), Date.now()) }
}

const headOf = (answer: unknown): Head => ({
  ...blockOf(answer),
  baseFee: asAmount(asObject(answer)['baseFeePerGas'] ?? '0x0'),
})
