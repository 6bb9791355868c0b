import { type ChainId, isChainId } from './chain/chain'
import type { Hash } from './chain/hex'

/** The execution to look at. `isNews`: something happened outside, so it is looked at even before it is due. */
export type Called = { id: string; isNews: boolean }

const newsMark = '!'

const idLengthMax = 200

/** Returns the text of a wake-up: an id, marked when there is news. */
export const wakeText = ({ id, isNews }: Called): string => (isNews ? `${newsMark}${id}` : id)

/** Reads a wake-up. Returns null for what cannot be the id of an execution. */
export function calledBy(data: Uint8Array): Called | null {
  const text = new TextDecoder().decode(data)
  const isNews = text.startsWith(newsMark)
  const id = isNews ? text.slice(1) : text
  return /^\d+(:\w+)+$/.test(id) && id.length <= idLengthMax ? { id, isNews } : null
}

/** A transaction in which something arrived, according to a webhook. Nothing else of the webhook is used. */
export type Pointer = { chainId: ChainId; txHash: Hash; seenAt: number }

/** Returns the text of a message with pointers. Most carry one. */
export function pointersText(pointers: readonly Pointer[]): string {
  const said = pointers.map(({ chainId, txHash, seenAt }) => ({ chainId, txHash, seenAt }))
  return JSON.stringify(said.length === 1 ? said[0] : said)
}

/** Reads the pointers of a message. Returns null for what cannot be pointers. */
export function pointersIn(data: Uint8Array): Pointer[] | null {
  try {
    const said = [JSON.parse(new TextDecoder().decode(data))].flat() as Pointer[]
    const isPointer = ({ chainId, txHash, seenAt }: Pointer) =>
      isChainId(chainId) && /^0x[0-9a-f]{64}$/.test(txHash) && Number.isSafeInteger(seenAt)
    const isGood = said.length > 0 && said.every(isPointer)
    return isGood ? said.map(({ chainId, txHash, seenAt }) => ({ chainId, txHash, seenAt })) : null
  } catch {
    return null
  }
}
