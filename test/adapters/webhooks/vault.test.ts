import { expect, test } from 'bun:test'
import { aesVault, noVault } from '../../../src/adapters/webhooks/vault'

const [first, second] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`] as const
const text = 'whsec_CjBwImXFcp8GEH1osqZixNs9kG2x7EWJSCpsNVppPV0='

test('a text encrypted for one purpose opens only for it, and looks different each time', () => {
  const vault = aesVault([first])
  const [one, other] = [vault.seal(text, 'a'), vault.seal(text, 'a')]
  expect(one).not.toBe(other)
  expect([vault.open(one, 'a'), vault.open(other, 'a'), vault.open(one, 'b')]).toEqual([text, text, null])
  expect(one).not.toContain('whsec')
})

test('every key decrypts, the first one encrypts, and a removed one decrypts nothing', () => {
  const sealed = aesVault([first]).seal(text, 'a')
  expect(aesVault([second, first]).open(sealed, 'a')).toBe(text)
  expect(aesVault([second]).open(sealed, 'a')).toBeNull()
  expect(aesVault([second]).open(aesVault([second, first]).seal(text, 'a'), 'a')).toBe(text)
})

test('a changed ciphertext never opens, wherever it was changed', () => {
  const vault = aesVault([first])
  const bytes = Buffer.from(vault.seal(text, 'a'), 'base64url')
  for (const place of bytes.keys()) {
    const changed = Buffer.from(bytes)
    changed[place]! ^= 1
    expect(vault.open(changed.toString('base64url'), 'a')).toBeNull()
  }
  // A decoder skips characters that are not base64url.
  const sealed = bytes.toString('base64url')
  for (const other of [
    `${sealed}.`,
    `${sealed}=`,
    `${sealed}A`,
    `${sealed.slice(0, 9)} ${sealed.slice(9)}`,
    `${sealed}\n`,
  ])
    expect(vault.open(other, 'a')).toBeNull()
  for (const short of ['', 'AAAA', bytes.subarray(0, 27).toString('base64url')])
    expect(vault.open(short, 'a')).toBeNull()
})

test('a process without the key decrypts and encrypts nothing', () => {
  expect(noVault.open(aesVault([first]).seal(text, 'a'), 'a')).toBeNull()
  expect(() => noVault.seal(text, 'a')).toThrow(TypeError)
  expect(() => aesVault([])).toThrow(RangeError)
})
