import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { readTokenList } from '../../../src/adapters/prices/token-list'
import { chains } from '../../../src/domain/chain/chain'
import type { Address } from '../../../src/domain/chain/hex'
import { temporaryFolder } from '../../support/temporary-folder'
import { testAll } from '../../support/test-all'

const chainId = chains.base.id
const address: Address = `0x${'ab'.repeat(20)}`
const token = { chainId, address, symbol: 'ONE', name: 'Token One', decimals: 18, logoURI: 'https://one.example/i.png' }

async function listOf(text: string) {
  const path = join(temporaryFolder('token-list'), 'tokens.json')
  await Bun.write(path, text)
  return readTokenList(path)
}

test('the tokens of a list are added to the pinned ones, without those of other chains', async () => {
  const read = await listOf(
    JSON.stringify({ name: 'A list', tokens: [token, { ...token, chainId: 5, symbol: 'FIVE' }] }),
  )
  const pinned = await readTokenList(null)
  expect(read.find(chainId, address)).toMatchObject({ symbol: 'ONE', name: 'Token One', decimals: 18 })
  expect(pinned.find(chainId, address)).toBeNull()
})

testAll([
  ['no JSON', 'tokens'],
  ['null', 'null'],
  ['without tokens', '{}'],
  ['tokens that are not a list', '{"tokens":{}}'],
  ...Object.entries({
    chainId: chainId + 0.5,
    address: `0x${'g'.repeat(40)}`,
    symbol: '',
    name: 'x'.repeat(65),
    decimals: 256,
  }).map(
    ([field, wrong]) =>
      [`a wrong ${field}`, JSON.stringify({ tokens: [token, { ...token, [field]: wrong }] })] as const,
  ),
  ['a token that is null', '{"tokens":[null]}'],
])('an invalid token list is refused with the name of the variable', async (_what, text) => {
  await expect(listOf(text)).rejects.toThrow('TOKEN_LIST must be the path of a token list (tokenlists.org)')
})

test('a missing file is not a token list', async () => {
  await expect(readTokenList('/nowhere/tokens.json')).rejects.toThrow('TOKEN_LIST must be')
})
