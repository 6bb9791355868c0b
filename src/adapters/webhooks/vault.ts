import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Hex } from '../../domain/chain/hex'
import type { Vault } from '../../ports/webhooks'

const namespace = 'switchyard/vault/v1'
const cipher = 'aes-256-gcm'
const [ivBytes, tagBytes] = [12, 16]

/**
 * Encrypts with AES-256-GCM. The keys are derived from the keys that seal intents, so an installation has one set of
 * keys to keep.
 *
 * @param keys 32 bytes each, in hexadecimal. The first key encrypts, and every key decrypts.
 */
export function aesVault(keys: readonly Hex[]): Vault {
  if (keys.length === 0) throw new RangeError('At least one encryption key is required')
  const secrets = keys.map((key) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(key.slice(2), 'hex'), Buffer.alloc(0), namespace, 32)),
  )

  function opened(secret: Buffer, sealed: Buffer, purpose: string): string | null {
    try {
      const decipher = createDecipheriv(cipher, secret, sealed.subarray(0, ivBytes), { authTagLength: tagBytes })
      decipher.setAAD(Buffer.from(purpose))
      decipher.setAuthTag(sealed.subarray(-tagBytes))
      const text = decipher.update(sealed.subarray(ivBytes, -tagBytes))
      return Buffer.concat([text, decipher.final()]).toString()
    } catch {
      return null
    }
  }

  return {
    seal(text, purpose) {
      const iv = randomBytes(ivBytes)
      const sealing = createCipheriv(cipher, secrets[0]!, iv, { authTagLength: tagBytes })
      sealing.setAAD(Buffer.from(purpose))
      const body = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()])
      return Buffer.concat([iv, body, sealing.getAuthTag()]).toString('base64url')
    },
    open(sealed, purpose) {
      const bytes = Buffer.from(sealed, 'base64url')
      // The decoder skips characters that are not base64url, so many texts would open one seal.
      if (bytes.length < ivBytes + tagBytes || bytes.toString('base64url') !== sealed) return null
      for (const secret of secrets) {
        const text = opened(secret, bytes, purpose)
        if (text !== null) return text
      }
      return null
    },
    randomBytes: (length) => randomBytes(length),
  }
}

/** The vault of a process without a key: it encrypts nothing and opens nothing. */
export const noVault: Vault = {
  seal() {
    throw new TypeError('This process has no encryption key')
  },
  open: () => null,
  randomBytes: (length) => randomBytes(length),
}
