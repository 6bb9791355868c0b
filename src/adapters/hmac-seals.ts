import { timingSafeEqual } from 'node:crypto'
import type { Hex } from '../domain/chain/hex'
import type { Sealable, SealSubject, Seals } from '../domain/seals'

const namespace = 'switchyard/seal/v1'
const plain = ['string', 'boolean']

/**
 * Serialises the fields sorted by name, because their order in a document does not matter. JSON keeps names and values
 * apart.
 */
function canonical(subject: SealSubject, fields: object): string {
  const entries = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))
  for (const [name, value] of entries)
    if (value !== null && !plain.includes(typeof value) && !Number.isSafeInteger(value))
      throw new TypeError(`${name} cannot be sealed: it must be a string, an integer, a boolean or null`)
  return JSON.stringify([namespace, subject, entries])
}

/**
 * Seals records with HMAC-SHA-256.
 *
 * @param keys 32 bytes each, in hexadecimal. The first key seals, and every key verifies. To rotate, put a new key
 * first. Remove the old key when nothing that it sealed is left.
 */
export function hmacSeals(keys: readonly Hex[]): Seals {
  if (keys.length === 0) throw new RangeError('At least one sealing key is required')
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
 * Seals of the signer, and of a process that sends it orders. The two share a separate key for offers. A process that
 * requests quotes therefore needs no key that can seal the decisions of integrators.
 */
export const withOffersUnder = (offers: Seals, rest: Seals): Seals => ({
  seal: (subject, fields) => (subject === 'offer' ? offers : rest).seal(subject, fields),
  isGood: (subject, fields, seal) =>
    rest.isGood(subject, fields, seal) || (subject === 'offer' && offers.isGood(subject, fields, seal)),
})

/** Seals of a process without a key: none can be made, and none is valid. */
export const noSeals: Seals = {
  seal() {
    throw new TypeError('This process has no sealing key')
  },
  isGood: () => false,
}
