import { type ChainId, isChainId } from './chain/chain'
import type { Hash } from './chain/hex'

/** The execution to look at. `isImmediate`: something happened outside, so it is looked at even before it is due. */
export type WakeRequest = { id: string; isImmediate: boolean }

const immediateMark = '!'

const idLengthMax = 200

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
