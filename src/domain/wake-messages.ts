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

/**
 * A worker gets the messages that wait in the queues as soon as it has capacity. A wake-up that did not come is
 * repeated only once the worker has had capacity for this long, or after the longer time.
 */
const [emptiedMs, queuedMaxMs] = [1_000, 30_000]

/**
 * Returns which wake-up the sweep of a worker with capacity owes a record, or null if none now: a new record was just
 * woken by the process that stored it, and other wake-ups may still wait for capacity.
 */
export function repeatOwed(version: number, overdueMs: number, hadCapacityMs: number): number | null {
  const repeat = wakeRepeat(overdueMs)
  if (repeat === 0) return version === 1 ? null : 0
  return overdueMs < queuedMaxMs && hadCapacityMs < emptiedMs ? null : repeat
}

/** Wake-up that is due for one version of a record. `repeat` is 0 for the first one. */
export type OwedWake = { id: string; version: number; repeat?: number }

/** Returns the id that the server uses to drop duplicates, because every sweep sends the wake-up again. */
export const wakeMessageId = ({ id, version, repeat = 0 }: OwedWake): string => `${id}:${version}:${repeat}`

/** Formats a wake-up: an id, with a mark if it is immediate. */
export const wakeText = ({ id, isImmediate }: WakeRequest): string => (isImmediate ? `${immediateMark}${id}` : id)

const partMark = '\n'

/** Formats wake-ups as one message. Most carry one. */
export const wakesText = (wakes: readonly WakeRequest[]): string => wakes.map(wakeText).join(partMark)

/** Splits a message into its wake-ups. */
export function wakesIn(data: Uint8Array): Uint8Array[] {
  const texts = new TextDecoder().decode(data).split(partMark)
  return texts.length === 1 ? [data] : texts.map((text) => new TextEncoder().encode(text))
}

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
