import { timingSafeEqual } from 'node:crypto'
import type { Hex } from '../domain/chain/hex'
import type { Sealable, SealSubject, Seals } from '../domain/seals'

const namespace = 'switchyard/seal/v1'
const plain = ['string', 'boolean']

/** Sorts the fields by name, so that their order in a document does not matter. JSON keeps names and values apart. */
function canonical(subject: SealSubject, fields: object): string {
  const entries = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))
  for (const [name, value] of entries)
    if (value !== null && !plain.includes(typeof value) && !Number.isSafeInteger(value))
      throw new TypeError(`${name} cannot be sealed: it is not text, a whole number, a flag or null`)
  return JSON.stringify([namespace, subject, entries])
}

/**
 * Seals by HMAC-SHA-256.
 *
 * @param keys 32 bytes each, in hexadecimal. The first one seals and all of them verify: put a new key first, and
 * remove the old one when nothing that it sealed is left.
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

/**
 * The seals of a process that asks the signer, or of the signer itself: offers are sealed under a key of those two, so
 * that whoever asks for quotes need not be able to seal what integrators say.
 */
export const withOffersUnder = (offers: Seals, rest: Seals): Seals => ({
  seal: (subject, fields) => (subject === 'offer' ? offers : rest).seal(subject, fields),
  isGood: (subject, fields, seal) =>
    rest.isGood(subject, fields, seal) || (subject === 'offer' && offers.isGood(subject, fields, seal)),
})

/** The seals of a process that was not given the key. */
export const noSeals: Seals = {
  seal() {
    throw new TypeError('This process has no key to seal with')
  },
  isGood: () => false,
}
