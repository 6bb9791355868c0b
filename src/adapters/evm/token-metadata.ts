import { hexToString, toFunctionSelector } from 'viem/utils'
import type { Address, Hex } from '../../domain/chain/hex'
import { plainText } from '../../domain/plain-text'
import { asBytes } from './rpc/answers'
import { isRevert } from './rpc/error'
import type { Ask } from './rpc/json-rpc'

const [symbolSelector, nameSelector, decimalsSelector] = (['symbol()', 'name()', 'decimals()'] as const).map((view) =>
  toFunctionSelector(view),
) as [Hex, Hex, Hex]
const textMax = 64

/** Reads a token's own metadata. Null if the token does not return its decimals. */
export const tokenMetadata =
  (ask: Ask) =>
  async (token: Address): Promise<{ symbol: string; name: string; decimals: number } | null> => {
    const [symbol, name, decimals] = await Promise.all([
      view(symbolSelector),
      view(nameSelector),
      view(decimalsSelector),
    ])
    if (decimals.length !== 66 || BigInt(decimals) > 255n) return null
    return { symbol: textOf(symbol), name: textOf(name), decimals: Number(decimals) }

    async function view(data: Hex): Promise<Hex> {
      const answer = await ask('eth_call', [{ to: token, data }, 'latest']).catch((error) => {
        if (isRevert(error)) return '0x'
        throw error
      })
      return asBytes(answer)
    }
  }

/**
 * Decodes a string, or 32 bytes as in the oldest tokens. Anyone may have written it, so characters that cannot be shown
 * are removed.
 */
function textOf(answer: Hex): string {
  if (answer.length < 66) return ''
  const isOld = answer.length === 66
  const length = isOld ? 32 : Number(`0x${answer.slice(66 + 48, 130)}`)
  const start = isOld ? 2 : 130
  const text = hexToString(`0x${answer.slice(start, start + Math.min(length, 4 * textMax) * 2)}`)
  return plainText(text, textMax)
}
