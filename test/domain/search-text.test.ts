import { expect, test } from 'bun:test'
import { chainIds, chainOf } from '../../src/domain/chain/chain'
import { parseSearchText } from '../../src/domain/deposit/search-text'
import { addressOf, executionOf, hashOf } from '../support/deposits'
import { testAll } from '../support/test-all'

const [hash, address, id] = [hashOf(0xabcdef), addressOf(0xabcdef), executionOf(7).id]

testAll(chainIds.map((chainId) => [chainOf(chainId).explorerUrl, chainId] as const))(
  'the page of an explorer identifies its chain',
  (explorer, chainId) => {
    const [bare] = [new URL(explorer).host]
    for (const site of [explorer, `http://${bare}`, `https://www.${bare}`]) {
      expect(parseSearchText(`${site}/tx/${hash}`)).toEqual({ kind: 'HASH', text: hash, chainId })
      expect(parseSearchText(`${site}/tx/${hash}?x=1#eventlog`)).toEqual({ kind: 'HASH', text: hash, chainId })
      expect(parseSearchText(`${site}/address/${address}#tokentxns`)).toEqual({
        kind: 'ADDRESS',
        text: address,
        chainId,
      })
      expect(parseSearchText(`${site}/token/${address}?a=${hash}`)).toEqual({ kind: 'ADDRESS', text: address, chainId })
    }
  },
)

testAll([
  'https://basescan.org.evil.test',
  'https://evilbasescan.org',
  'https://evil.test/basescan.org',
  'https://basescan.org@evil.test',
  'ftp://basescan.org',
  'https://sub.basescan.org',
])('a page of another site identifies no chain', (site) => {
  expect(parseSearchText(`${site}/tx/${hash}`).chainId).toBeNull()
})

test('the path of a page on another site is searched, and a page without a match is searched as text', () => {
  expect(parseSearchText(`https://scan.li.fi/tx/${hash.toUpperCase().replace('X', 'x')}`)).toMatchObject({
    kind: 'HASH',
    text: hash,
  })
  expect(parseSearchText(`https://host.test/app/org/executions/${encodeURIComponent(`${id}:r1`)}`)).toEqual({
    kind: 'DEPOSIT',
    text: `${id}:r1`,
    chainId: 8453,
  })
  for (const text of [
    'https://basescan.org/block/1',
    'https://basescan.org/tx/0x12',
    `ftp://x/tx/${hash}`,
    'https://[',
    '//',
  ])
    expect(parseSearchText(text)).toEqual({ kind: 'USER', text, chainId: null })
})

test('the id of a deposit on an unsupported chain identifies no chain', () => {
  expect(parseSearchText(`999999:${hash}:1`)).toEqual({ kind: 'DEPOSIT', text: `999999:${hash}:1`, chainId: null })
  expect(parseSearchText(id)).toEqual({ kind: 'DEPOSIT', text: id, chainId: 8453 })
  expect(parseSearchText(`${id}:r12`).kind).toBe('DEPOSIT')
  for (const text of [`${id}:x`, `${id}:r`, '8453:0x1:2', '8453:sweep:x:y:1'])
    expect(parseSearchText(text).kind).toBe('USER')
})

test('the time to parse pasted text grows only with its length', () => {
  for (const text of ['0x'.repeat(40_000), `https://${'a/'.repeat(40_000)}`, `8453:${'0x'.repeat(40_000)}`])
    expect(parseSearchText(text).kind).toBe('USER')
})
