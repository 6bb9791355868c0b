import { type ChainId, isChainId } from '../chain/chain'
import type { Hash } from '../chain/hex'

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
