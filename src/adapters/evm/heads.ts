import { believedTime, blockClock } from '../../domain/chain/block-time'
import type { Hash } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import type { Block } from '../../ports/chain-client'
import { agedCall } from './cached-call'
import { asAmount, asHash, asNumber, asObject, toQuantity } from './rpc/answers'
import type { Ask, Proof } from './rpc/json-rpc'

export type Head = Block & { baseFee: bigint }

/** A larger step of the confirmed block is believed only of a node that also knows the previous one. */
const stepMax = 256
/** How long a node may lag behind another one. */
const lagMaxMs = 120_000

/** Whoever asks for the head within this time shares one answer, unless something else is said. */
export const headSharedMs = 20

type HeadSettings = {
  now: () => number
  /** How old an answer may be where nobody says otherwise. */
  sharedMs?: number
  monotonic?: () => number
  /** How long a block takes as a rule; 0 where nobody can tell. */
  blockMs?: number
}

/**
 * The head of the chain and its newest confirmed block: the one reader of both that everybody in a process shares.
 *
 * @param now milliseconds since 1970 by the clock of the whole process.
 */
export function heads(ask: Ask, confirmations: number, settings: HeadSettings) {
  const { now: clockNow, sharedMs = headSharedMs, monotonic: now = () => performance.now(), blockMs = 0 } = settings
  const clock = blockClock(blockMs)
  /** A block time is never later than our own clock allows, because orders expire by it. */
  const blockOf = (answer: unknown): Block => {
    const { number, hash, timestamp } = asObject(answer)
    return { number: asNumber(number), hash: asHash(hash), time: believedTime(asNumber(timestamp), clockNow()) }
  }
  const headOf = (answer: unknown): Head => ({
    ...blockOf(answer),
    baseFee: asAmount(asObject(answer)['baseFeePerGas'] ?? '0x0'),
  })
  const head = agedCall(async () => noted(headOf(await ask('eth_getBlockByNumber', ['latest', false]))), sharedMs, now)
  let stays: Block | null = null
  let belowSince: number | null = null

  /**
   * The newest confirmed block ever seen, because a lagging node must not unconfirm a block. A single wrong answer does
   * not stick either: a large step needs a node that knows the previous block, and a block that no node reaches again
   * is dropped.
   */
  const confirmed = agedCall(
    async (maxAgeMs: number): Promise<Block> => {
      const { number } = await head(maxAgeMs)
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
    },
    sharedMs,
    now,
  )

  /** So many blocks above a confirmed one are there for certain, whatever a node says of its head. */
  const unreadMax = Math.min(stepMax, confirmations - 1)
  let deepest = -1
  let shorterSince: number | null = null

  /**
   * The number of that block. It is read as a block only where the head says more than is certain of the last one that
   * was read, so that one wrong head confirms no block that is not there.
   */
  async function confirmedNumber(maxAgeMs?: number): Promise<number> {
    const { number } = await head(maxAgeMs)
    const depth = Math.max(0, number - (confirmations - 1))
    if (stays && depth >= stays.number) belowSince = null
    if (!stays || Math.abs(depth - stays.number) > unreadMax) {
      const before = stays
      const read = await confirmed(maxAgeMs)
      deepest = before && read.number >= before.number ? Math.max(deepest, read.number) : read.number
      if (depth > read.number) return deepest
    }
    if (depth >= deepest) shorterSince = null
    else shorterSince ??= now()
    const isShorter = shorterSince !== null && now() - shorterSince > lagMaxMs
    deepest = isShorter ? depth : Math.max(deepest, depth)
    return deepest
  }

  async function assureKnows({ number, hash }: Block): Promise<void> {
    if ((await blockAt(number))?.hash === hash) return
    await ask('eth_chainId', []) // a node of another chain throws here, and what was confirmed stays
    stays = null // one of the two is wrong, so the next look begins anew
    throw new RoutingError('RPC_FAILED', { cause: new Error('The node does not know what was confirmed') })
  }

  /** @param known which block it should be, and what it proves if it is that one. */
  function blockAt(number: number, known?: { isOf: Hash; proves: 'NODE' | 'ANSWER' }): Promise<Block | null> {
    const isIt = (answer: unknown) => (answer as { hash?: unknown } | null)?.hash === known?.isOf
    const proof: Proof | undefined = known && ((answer) => (isIt(answer) ? known.proves : null))
    return blockBy(ask, number, proof).then((block) => block && noted(block))
  }

  async function blockBy(node: Ask, number: number, proof?: Proof): Promise<Block | null> {
    const answer = await node('eth_getBlockByNumber', [toQuantity(number), false], proof)
    return answer === null ? null : blockOf(answer)
  }

  function noted<One extends Block>(block: One): One {
    clock.note(block, clockNow())
    return block
  }

  /**
   * Reads the block at a depth together with the one that confirms it, from one node and in one request. What a node
   * showed of a fork that was given up is not confirmed by another node's block. Where a node does not show both,
   * because it lags or stayed on a fork, the next one is asked; where none does, it counts what the first one showed.
   *
   * @param hash of the block that should be there.
   * @param isOurs whether only a node of this chain could know that hash, so that none needs another proof.
   */
  async function confirmedAt(number: number, hash: Hash, isOurs: boolean) {
    const above = number + confirmations - 1
    const proof: Proof | undefined = isOurs ? () => 'ANSWER' : undefined
    const shown: { block: Block | null; isConfirmed: boolean }[] = []
    const look = async (node: Ask) => {
      const both = [...new Set([number, above])].map((at) => blockBy(node, at, proof))
      const [block = null, over = block] = await Promise.all(both)
      const isConfirmed = block?.hash === hash && block.number === number && over?.number === above
      // The times of other blocks are those of a node that may be of another chain.
      if (block?.hash === hash || !isOurs) for (const one of [block, over]) if (one) noted(one)
      shown.push({ block, isConfirmed })
      if (!isConfirmed)
        throw new RoutingError('RPC_FAILED', { cause: new Error('The node does not show that block yet') })
      return { block, isConfirmed }
    }
    return (ask.ofOne?.(look) ?? look(ask)).catch((error) => {
      if (shown[0]) return shown[0]
      throw error
    })
  }

  /** In how many milliseconds a block should be confirmed; 0 when it may be, and null when that is not known. */
  const untilConfirmedMs = (number: number): number | null => clock.untilMs(number + confirmations - 1, clockNow())

  return { head, confirmed, confirmedNumber, blockAt, confirmedAt, untilConfirmedMs }
}
