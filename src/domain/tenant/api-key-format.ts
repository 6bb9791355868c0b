import { crc32 } from 'node:zlib'
import { network } from '../chain/chain'

/**
 * An API key is `sy_live_`, 256 random bits in 43 characters, and a CRC-32 of everything before it in 6 (decision 19).
 * Where no money is real it is `sy_test_`: on the test networks and in the sandbox. Each refuses the keys of the others
 * without a database query. A sandbox also accepts the `sy_live_` keys that it made before.
 */
const [live, test] = ['sy_live_', 'sy_test_'] as const
const prefixLength = live.length
export const keyPrefixOf = (isSandbox: boolean): string => (network === 'testnet' || isSandbox ? test : live)
const formOf = (prefixes: string) => new RegExp(`^(?:${prefixes})[0-9A-Za-z]{49}$`)
const form = formOf(keyPrefixOf(false))
const sandboxForm = network === 'testnet' ? form : formOf(`${test}|${live}`)
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 43
const checksumLength = 6
export const apiKeyLength = prefixLength + secretLength + checksumLength

/** @param random 32 secret random bytes. */
export function apiKeyText(random: Uint8Array, isSandbox = false): string {
  if (random.length !== 32) throw new RangeError('An API key is made of 32 random bytes')
  const secret = keyPrefixOf(isSandbox) + base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), secretLength)
  return secret + checksumOf(secret)
}

/** Whether the text can be an API key. A typing error is recognised without a database query. */
export const isApiKeyText = (text: string, isSandbox = false): boolean =>
  (isSandbox ? sandboxForm : form).test(text) && text.endsWith(checksumOf(text.slice(0, prefixLength + secretLength)))

/** Returns the stored digest of a key. A key of 256 random bits needs no slow hash. */
export const apiKeyDigest = (text: string): string => Bun.SHA256.hash(text, 'hex')

/** Returns the first characters of a key, which distinguish keys in a list. */
export const apiKeyPrefix = (text: string): string => text.slice(0, prefixLength + 4)

function checksumOf(secret: string): string {
  let text = ''
  for (let rest = crc32(secret); text.length < checksumLength; rest = Math.floor(rest / 62))
    text = digits[rest % 62]! + text
  return text
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = digits[Number(rest % 62n)]! + text
  return text
}
