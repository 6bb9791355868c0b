import { timingSafeEqual } from 'node:crypto'
import type { Hex } from '../domain/chain/hex'
import type { Sealable, SealSubject, Seals } from '../domain/seals'

const namespace = 'switchyard/seal/v1'
const plain = ['string', 'boolean']

/** By name, so that it does not matter how a document was read; JSON keeps fields and their values apart. */
function canonical(subject: SealSubject, fields: object): string {
  const entries = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))
  for (const [name, value] of entries)
    if (value !== null && !plain.includes(typeof value) && !Number.isSafeInteger(value))
      throw new TypeError(`${name} cannot be sealed: it is no text, whole number, flag or null`)
  return JSON.stringify([namespace, subject, entries])
}

/**
 * HMAC-SHA-256.
 *
 * @param keys 32 bytes each, in hexadecimal. The first seals, all verify: a new one is put before the old one, which is
 * taken away when nothing is left that it sealed.
 */
export function hmacSeals(keys: readonly Hex[]): Seals {
  if (keys.length === 0) throw new RangeError('There is no key to seal with')
  const secrets = keys.map((key) => Buffer.from(key.slice(2), 'hex'))
  const tag = (secret: Buffer, text: string): Buffer =>
    new Bun.CryptoHasher('sha256', secret).update(text).digest() as Buffer

  return {
    seal: (subject, fields: Sealable) => tag(secrets[0]!, canonical(subject, fields)).toString('base64url'),
    isGood(subject, fields, seal) {
      if (typeof seal !== 'string' || !/^[\w-]{43}$/.test(seal)) return false
      const given = Buffer.from(seal, 'base64url')
      try {
        const text = canonical(subject, fields)
        return secrets.some((secret) => timingSafeEqual(tag(secret, text), given))
      } catch {
        return false
      }
    },
  }
}

/** For a process that was not given the key. */
export const noSeals: Seals = {
  seal() {
    throw new TypeError('This process has no key to seal with')
  },
  isGood: () => false,
}
