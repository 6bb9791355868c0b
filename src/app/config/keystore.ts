import { createDecipheriv, pbkdf2Sync, scryptSync } from 'node:crypto'
import { concat, hexToBytes, keccak256 } from 'viem/utils'
import type { Hex } from '../../domain/chain/hex'
import { type } from '../../domain/schema'

/** A keystore that cannot be opened. The message completes the sentence "… must be". */
export class KeystoreError extends Error {
  override name = 'KeystoreError'
}

const hex = type(/^(0x)?([0-9a-fA-F]{2})+$/)
const count = type('1 <= number.integer <= 4194304')
const Keystore = type({
  version: '3',
  crypto: {
    cipher: "'aes-128-ctr'",
    cipherparams: { iv: hex },
    ciphertext: hex,
    mac: hex,
    kdf: "'scrypt' | 'pbkdf2'",
    kdfparams: { dklen: '32 <= number.integer <= 64', salt: hex, 'n?': count, 'r?': count, 'p?': count, 'c?': count },
  },
})
type Crypto = (typeof Keystore.infer)['crypto']

/** Most memory that scrypt may use, in bytes. Its usual settings take 256 MB. */
const memoryMax = 1_100_000_000

/** Whether a text is a keystore or a list of keystores, rather than a key. */
export const isKeystore = (text: string): boolean => /^[{[]/.test(text)

/**
 * Decrypts the private keys in a keystore of the Web3 Secret Storage format, version 3, as geth, foundry and most
 * wallets write it. Also reads a list of keystores that share one password.
 *
 * @throws {KeystoreError}
 */
export function keysInKeystore(text: string, password: string): Hex[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new KeystoreError('given for a keystore in JSON')
  }
  return [parsed].flat().map((one) => {
    const keystore = Keystore(one)
    if (keystore instanceof type.errors) throw new KeystoreError('given for a keystore of version 3')
    return keyIn(keystore.crypto, password)
  })
}

function keyIn({ cipherparams, ciphertext, mac, kdf, kdfparams }: Crypto, password: string): Hex {
  const derived = kdf === 'scrypt' ? byScrypt(kdfparams, password) : byPbkdf2(kdfparams, password)
  const encrypted = bytesOf(ciphertext)
  if (keccak256(concat([derived.subarray(16, 32), encrypted])) !== `0x${mac.replace(/^0x/, '').toLowerCase()}`)
    throw new KeystoreError('the file with the password of the keystore')
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), bytesOf(cipherparams.iv))
  return `0x${Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('hex')}`
}

type Derivation = Crypto['kdfparams']

function byScrypt({ n, r, p, dklen, salt }: Derivation, password: string): Uint8Array {
  if (!n || !r || !p || 128 * n * r > memoryMax) throw new KeystoreError('given for a keystore with usual settings')
  try {
    return scryptSync(password, bytesOf(salt), dklen, { N: n, r, p, maxmem: memoryMax + 2 ** 20 })
  } catch {
    throw new KeystoreError('given for a keystore with usual settings')
  }
}

function byPbkdf2({ c, dklen, salt }: Derivation, password: string): Uint8Array {
  if (!c) throw new KeystoreError('given for a keystore with usual settings')
  return pbkdf2Sync(password, bytesOf(salt), c, dklen, 'sha256')
}

const bytesOf = (text: string): Uint8Array => hexToBytes(`0x${text.replace(/^0x/, '')}`)
