import { type ChainId, isChainId } from './chain/chain'
import type { Hash } from './chain/hex'

/** The execution to look at. `isImmediate`: something happened outside, so it is looked at even before it is due. */
export type WakeRequest = { id: string; isImmediate: boolean }

const immediateMark = '!'

const idLengthMax = 200

/** No wake-up is repeated sooner than this, because on a busy machine the first one is still on its way. */
const repeatAfterMs = 2_000

/**
 * Returns which repetition of its wake-up a record is owed that is overdue by so many milliseconds: none at first, one
 * after two seconds, and another whenever that time has doubled. A worker that stops or dies may take a wake-up with
 * it, which the server would deliver again only after half a minute. In a backlog, where none is lost, the repetitions
 * stay few.
 */
export const wakeRepeat = (overdueMs: number): number =>
  overdueMs < repeatAfterMs ? 0 : Math.floor(Math.log2(overdueMs / repeatAfterMs)) + 1

/** What is owed: a look at one version of a record. `repeat` is 0 for its first wake-up. */
export type OwedWake = { id: string; version: number; repeat?: number }

/** Returns the id by which a server recognises a wake-up that it has already, because every sweep sends it again. */
export const wakeMessageId = ({ id, version, repeat = 0 }: OwedWake): string => `${id}:${version}:${repeat}`

/** Returns the text of a wake-up: an id, with a mark when it is immediate. */
export const wakeText = ({ id, isImmediate }: WakeRequest): string => (isImmediate ? `${immediateMark}${id}` : id)

/** Reads a wake-up. Returns null for what cannot be the id of an execution. */
export function readWake(data: Uint8Array): WakeRequest | null {
  const text = new TextDecoder().decode(data)
  const isImmediate = text.startsWith(immediateMark)
  const id = isImmediate ? text.slice(1) : text
  return /^\d+(:\w+)+$/.test(id) && id.length <= idLengthMax ? { id, isImmediate } : null
}

/** A transaction in which something arrived, according to a webhook. Nothing else of the webhook is used. */
export type Pointer = { chainId: ChainId; txHash: Hash; seenAt: number }

/** Returns the text of a message with pointers. Most carry one. */
export function pointersText(pointers: readonly Pointer[]): string {
  const named = pointers.map(({ chainId, txHash, seenAt }) => ({ chainId, txHash, seenAt }))
  return JSON.stringify(named.length === 1 ? named[0] : named)
}

/** Reads the pointers of a message. Returns null for what cannot be pointers. */
export function pointersIn(data: Uint8Array): Pointer[] | null {
  try {
    const named = [JSON.parse(new TextDecoder().decode(data))].flat() as Pointer[]
    const isPointer = ({ chainId, txHash, seenAt }: Pointer) =>
      isChainId(chainId) && /^0x[0-9a-f]{64}$/.test(txHash) && Number.isSafeInteger(seenAt)
    const isGood = named.length > 0 && named.every(isPointer)
    return isGood ? named.map(({ chainId, txHash, seenAt }) => ({ chainId, txHash, seenAt })) : null
  } catch {
    return null
  }
}
