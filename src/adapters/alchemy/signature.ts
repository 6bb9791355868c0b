import { createHmac, timingSafeEqual } from 'node:crypto'
import { type ChainId, isChainId } from '../../domain/chain/chain'
import type { SigningKeys } from '../../ports/detection'

const signatureForm = /^[0-9a-f]{64}$/i

/**
 * Finds the keys that signed these bytes: the HMAC-SHA256 of the body exactly as it arrived. Tries every key, with
 * comparisons of constant time, so the response time reveals nothing.
 *
 * @returns The chains whose webhook signed. Empty for a forgery.
 */
export function signedFor(body: Uint8Array, signature: string | null | undefined, keys: SigningKeys): ChainId[] {
  if (!signature || !signatureForm.test(signature)) return []
  const claimed = Buffer.from(signature, 'hex')
  const chains = new Set<ChainId>()
  for (const [id, chainKeys] of Object.entries(keys)) {
    const chainId = Number(id)
    for (const key of chainKeys ?? []) {
      const isRight = timingSafeEqual(new Bun.CryptoHasher('sha256', key).update(body).digest(), claimed)
      if (isRight && key.length > 0 && isChainId(chainId)) chains.add(chainId)
    }
  }
  return [...chains]
}

/** Signs a body as Alchemy does. */
export const signatureOf = (body: Uint8Array | string, key: string): string =>
  createHmac('sha256', key).update(body).digest('hex')
