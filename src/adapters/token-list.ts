import { readFile } from 'node:fs/promises'
import { getAddress } from 'viem/utils'
import { isChainId } from '../domain/chain'
import type { Address } from '../domain/hex'
import { pinnedTokens } from '../domain/pinned-tokens'
import { plainText } from '../domain/plain-text'
import { type } from '../domain/schema'
import { type Token, TokenList } from '../domain/token'

/** The form of tokenlists.org: what is used of it. */
const File = type('string.json.parse').to({
  tokens: type({
    chainId: 'number.integer',
    address: type(/^0x[0-9a-fA-F]{40}$/).as<Address>(),
    symbol: '1 <= string <= 32',
    name: '1 <= string <= 64',
    decimals: '0 <= number.integer <= 255',
  }).array(),
})

/** @param path a further list; its tokens come on top of the pinned ones. */
export async function readTokenList(path: string | null): Promise<TokenList> {
  if (path === null) return new TokenList(pinnedTokens)
  const read = File(await readFile(path, 'utf8').catch(() => ''))
  if (read instanceof type.errors) throw new Error('TOKEN_LIST must be the path of a token list (tokenlists.org)')
  const further = read.tokens.flatMap(({ chainId, address, decimals, ...said }): Token[] => {
    const [symbol, name] = [plainText(said.symbol, 32), plainText(said.name, 64)]
    const isUsable = isChainId(chainId) && symbol !== ''
    return isUsable ? [{ chainId, address: getAddress(address), symbol, name, decimals }] : []
  })
  return new TokenList([...pinnedTokens, ...further])
}
