import { type ChainId, isChainId } from '../chain/chain'
import type { Hash } from '../chain/hex'

/** Where a webhook says something arrived; nothing more of it is used. */
export type Pointer = { chainId: ChainId; txHash: Hash; seenAt: number }

/** What a message of pointers says: most say one. */
export function pointersText(pointers: readonly Pointer[]): string {
  const said = pointers.map(({ chainId, txHash, seenAt }) => ({ chainId, txHash, seenAt }))
  return JSON.stringify(said.length === 1 ? said[0] : said)
}

/** Null for what cannot be pointers. */
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
