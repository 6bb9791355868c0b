import { type ChainId, isChainId } from './chain/chain'
import type { Hash } from './chain/hex'

/**
 * Execution to wake. `isImmediate` means that something happened outside: the worker reads the execution even before it
 * is due.
 */
export type WakeRequest = { id: string; isImmediate: boolean }

const immediateMark = '!'

const idLengthMax = 200

/** Shortest delay before a wake-up is repeated. On a busy machine the first one is still on its way until then. */
const repeatAfterMs = 2_000

/**
 * Returns which repetition of its wake-up an overdue record needs: none at first, one after two seconds, and another
 * each time the delay doubles. A worker that stops or dies can take a wake-up with it, and the server would redeliver
 * it only after half a minute. In a backlog no wake-up is lost, and the repetitions stay few.
 */
export const wakeRepeat = (overdueMs: number): number =>
  overdueMs < repeatAfterMs ? 0 : Math.floor(Math.log2(overdueMs / repeatAfterMs)) + 1

/** Wake-up that is due for one version of a record. `repeat` is 0 for the first one. */
export type OwedWake = { id: string; version: number; repeat?: number }

/** Returns the id that the server uses to drop duplicates, because every sweep sends the wake-up again. */
export const wakeMessageId = ({ id, version, repeat = 0 }: OwedWake): string => `${id}:${version}:${repeat}`

/** Formats a wake-up: an id, with a mark if it is immediate. */
export const wakeText = ({ id, isImmediate }: WakeRequest): string => (isImmediate ? `${immediateMark}${id}` : id)

/** Parses a wake-up. Returns null if the text cannot be the id of an execution. */
export function readWake(data: Uint8Array): WakeRequest | null {
  const text = new TextDecoder().decode(data)
  const isImmediate = text.startsWith(immediateMark)
  const id = isImmediate ? text.slice(1) : text
  return /^\d+(:\w+)+$/.test(id) && id.length <= idLengthMax ? { id, isImmediate } : null
}

/**
 * Webhook hint: a transaction in which something arrived, according to a webhook. Nothing else of the webhook is used.
 */
export type Pointer = { chainId: ChainId; txHash: Hash; seenAt: number }

/** Formats a message of hints. Most carry one. */
export function pointersText(pointers: readonly Pointer[]): string {
  const named = pointers.map(({ chainId, txHash, seenAt }) => ({ chainId, txHash, seenAt }))
  return JSON.stringify(named.length === 1 ? named[0] : named)
}

/** Parses the hints of a message. Returns null if the message contains anything else. */
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
