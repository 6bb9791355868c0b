import { aged } from '../../domain/aged'
import { believedTime, blockClock } from '../../domain/chain/block-time'
import { chainOf } from '../../domain/chain/chain'
import type { Address, Hash } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import { TemporarilyUnavailable } from '../../domain/unavailable'
import type { Block, ChainClient } from '../../ports/chain-client'
import { asAmount, asHash, asNumber, asObject, toQuantity } from './rpc/answers'
import type { Ask, Proof } from './rpc/json-rpc'

export type Head = Block & { baseFee: bigint }

/**
 * Largest step of the confirmed block that is trusted without a check. For a larger step, the node must have the
 * previous confirmed block.
 */
const stepMax = 256
/** How long a node may lag behind the others, in milliseconds. */
const lagMaxMs = 120_000

/** Callers within this time share one head by default, in milliseconds. */
export const headSharedMs = 20

type HeadSettings = {
  now: () => number
  /** Maximum age of an answer if the caller states none, in milliseconds. */
  sharedMs?: number
  monotonic?: () => number
  /** Usual block time in milliseconds. 0 if unknown. */
  blockMs?: number
}

type BlockReads = {
  ask: Ask
  blockBy: (node: Ask, number: number, proof?: Proof) => Promise<Block | null>
  noted: (block: Block) => Block
}

/**
 * Reads a block together with the block that confirms it, from one node and in one request. A block of an abandoned
 * fork is therefore never confirmed by a different node's block. A node that lags or stayed on a fork does not show
 * both, and the next node is read. If no node shows both, the first node's response counts.
 *
 * @param above Number of the block that confirms it.
 * @param hash Hash that the block should have.
 * @param isOurs Whether only a node of this chain could know that hash. The answer then needs no further proof.
 */
async function blockWithProof(
  { number, hash, isOurs, above }: { number: number; hash: Hash; isOurs: boolean; above: number },
  { ask, blockBy, noted }: BlockReads,
) {
  const proof: Proof | undefined = isOurs ? () => 'ANSWER' : undefined
  const shown: { block: Block | null; isConfirmed: boolean }[] = []
  const readBlocks = async (node: Ask) => {
    const both = [...new Set([number, above])].map((at) => blockBy(node, at, proof))
    const [block = null, over = block] = await Promise.all(both)
    const isConfirmed = block?.hash === hash && block.number === number && over?.number === above
    // The times of other blocks might come from a node of another chain.
    if (block?.hash === hash || !isOurs) for (const one of [block, over]) if (one) noted(one)
    shown.push({ block, isConfirmed })
    if (!isConfirmed)
      throw new RoutingError('RPC_FAILED', { cause: new Error('The node does not return that block yet') })
    return { block, isConfirmed }
  }
  return (ask.ofOne?.(readBlocks) ?? readBlocks(ask)).catch((error) => {
    if (shown[0]) return shown[0]
    throw error
  })
}

/**
 * Reads the head of the chain and its newest confirmed block, once for all callers in a process.
 *
 * @param settings `now` is the process's clock, in milliseconds since 1970.
 */
export function heads(ask: Ask, confirmations: number, settings: HeadSettings) {
  const { now: clockNow, sharedMs = headSharedMs, monotonic: now = () => performance.now(), blockMs = 0 } = settings
  const clock = blockClock(blockMs)
  /** A block time is never later than our own clock allows, because orders expire by block time. */
  const blockOf = (answer: unknown): Block => {
    const { number, hash, timestamp } = asObject(answer)
    return { number: asNumber(number), hash: asHash(hash), time: believedTime(asNumber(timestamp), clockNow()) }
  }
  const headOf = (answer: unknown): Head => ({
    ...blockOf(answer),
    baseFee: asAmount(asObject(answer)['baseFeePerGas'] ?? '0x0'),
  })
  const shared = { now, forMs: sharedMs, from: 'END' } as const
  const newest = aged(async () => noted(headOf(await ask('eth_getBlockByNumber', ['latest', false]))), shared)
  const head = (maxAgeMs?: number): Promise<Head> => newest.get(undefined, maxAgeMs)
  let stays: Block | null = null
  let belowSince: number | null = null

  /**
   * The newest confirmed block ever seen, because a lagging node must not unconfirm a block. A single wrong response
   * has no lasting effect: a large step needs a node with the previous block, and a block that no node reaches again is
   * dropped.
   */
  const deep = aged(async (_: undefined, maxAgeMs: number): Promise<Block> => {
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
    if (!stays) throw new RoutingError('RPC_FAILED', { cause: new Error('The node lags behind the previous one') })
    return stays
  }, shared)
  const confirmed = (maxAgeMs?: number): Promise<Block> => deep.get(undefined, maxAgeMs)

  /** This many blocks above a confirmed block certainly exist, no matter what head a node reports. */
  const unreadMax = Math.min(stepMax, confirmations - 1)
  let deepest = -1
  let shorterSince: number | null = null

  /**
   * Returns the number of the newest confirmed block. The block itself is read only if the head is beyond the blocks
   * that the last read block proves. A wrong head alone therefore never confirms a block that does not exist.
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
    await ask('eth_chainId', []) // a node of another chain throws here, and the confirmed block stays
    stays = null // one of the two blocks is wrong, so the next read starts again
    throw new RoutingError('RPC_FAILED', { cause: new Error('The node does not have the confirmed block') })
  }

  /** @param expected Hash that the block should have, and what a match proves. */
  function blockAt(number: number, expected?: { isOf: Hash; proves: 'NODE' | 'ANSWER' }): Promise<Block | null> {
    const isIt = (answer: unknown) => (answer as { hash?: unknown } | null)?.hash === expected?.isOf
    const proof: Proof | undefined = expected && ((answer) => (isIt(answer) ? expected.proves : null))
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

  const confirmedAt = (number: number, hash: Hash, isOurs: boolean) =>
    blockWithProof({ number, hash, isOurs, above: number + confirmations - 1 }, { ask, blockBy, noted })

  /**
   * Returns the milliseconds until a block should be confirmed. 0 if it may be confirmed already, and null if the time
   * is unknown.
   */
  const untilConfirmedMs = (number: number): number | null => clock.untilMs(number + confirmations - 1, clockNow())

  return { head, confirmed, confirmedNumber, blockAt, confirmedAt, untilConfirmedMs }
}

const retryMs = 1_000

/**
 * Reads the head of a chain while the chain advances. A head is stale if it is old by its own timestamp, or has not
 * changed for as long. A stale head proves nothing. The returned time is never later than our clock allows.
 *
 * @throws {TemporarilyUnavailable} if the head is stale.
 */
export function freshHead(chain: Pick<ChainClient, 'chainId' | 'head'>, staleMs: number, now: () => number) {
  let last = { hash: '', at: 0 }
  return async (): Promise<Block> => {
    const head = await chain.head()
    const at = now()
    if (head.hash !== last.hash) last = { hash: head.hash, at }
    const age = at - Math.min(last.at, (head.time + 1) * 1_000) // its time is in whole seconds
    if (age <= staleMs) return { ...head, time: believedTime(head.time, at) }
    const cause = new Error(`No block after ${head.number} for ${age} ms`)
    throw new TemporarilyUnavailable(chainOf(chain.chainId).name, retryMs, 'NODE', { cause })
  }
}

/**
 * Whether an address has a contract. A node that shows one is trusted. A node that shows none is trusted only if its
 * head advances, because a lagging node may not have the block that created the contract.
 *
 * @throws {TemporarilyUnavailable} if the node shows none and its head is stale.
 */
export function codeAt(chain: Pick<ChainClient, 'isDeployed'>, freshHead: () => Promise<Block>) {
  return async (address: Address): Promise<boolean> => {
    if (await chain.isDeployed(address)) return true
    await freshHead()
    return false
  }
}
