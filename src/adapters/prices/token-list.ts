import { readFile } from 'node:fs/promises'
import { getAddress } from 'viem/utils'
import { isChainId } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { pinnedTokens, type Token, TokenList } from '../../domain/money/token'
import { plainText } from '../../domain/plain-text'

type Listed = { chainId: number; address: Address; symbol: string; name: string; decimals: number }

const isText = (value: unknown, lengthMax: number): boolean =>
  typeof value === 'string' && value.length >= 1 && value.length <= lengthMax

/**
 * Checks the fields that we use of the tokenlists.org format. The check is written by hand, because the list is read at
 * startup and ArkType is slow to load.
 */
function isListed(entry: unknown): entry is Listed {
  if (typeof entry !== 'object' || entry === null) return false
  const { chainId, address, symbol, name, decimals } = entry as Record<keyof Listed, unknown>
  return (
    Number.isInteger(chainId) &&
    typeof address === 'string' &&
    /^0x[0-9a-fA-F]{40}$/.test(address) &&
    isText(symbol, 32) &&
    isText(name, 64) &&
    Number.isInteger(decimals) &&
    (decimals as number) >= 0 &&
    (decimals as number) <= 255
  )
}

/** @throws {TypeError} if the text is not a token list. */
function listedIn(text: string): Listed[] {
  const { tokens } = JSON.parse(text) as { tokens: unknown }
  if (!Array.isArray(tokens) || !tokens.every(isListed)) throw new TypeError('Not a token list')
  return tokens
}

/** @param path A further list, whose tokens are added to the pinned tokens. */
export async function readTokenList(path: string | null): Promise<TokenList> {
  if (path === null) return new TokenList(pinnedTokens)
  const read = await readFile(path, 'utf8')
    .then(listedIn)
    .catch(() => {
      throw new Error('TOKEN_LIST must be the path of a token list (tokenlists.org)')
    })
  const further = read.flatMap(({ chainId, address, decimals, ...said }): Token[] => {
    const [symbol, name] = [plainText(said.symbol, 32), plainText(said.name, 64)]
    const isUsable = isChainId(chainId) && symbol !== ''
    return isUsable ? [{ chainId, address: getAddress(address), symbol, name, decimals }] : []
  })
  return new TokenList([...pinnedTokens, ...further])
}
