import { secp256k1 } from '@noble/curves/secp256k1'
import { publicKeyToAddress } from 'viem/utils'
import type { Address, Hash, Hex } from '../../domain/chain/hex'
import { spkiHead } from '../../protocols/kms/formats'

/** Returns the address of a public key, or null if the key is not a secp256k1 key. */
export function addressOfSpki(der: Uint8Array): Address | null {
  const hex = Buffer.from(der).toString('hex')
  if (!hex.startsWith(spkiHead) || hex.length !== spkiHead.length + 128) return null
  const point = `04${hex.slice(spkiHead.length)}`
  try {
    secp256k1.ProjectivePoint.fromHex(point).assertValidity()
  } catch {
    return null
  }
  return publicKeyToAddress(`0x${point}`)
}

/**
 * Returns a signature in the form that contracts and chains accept: r, s in the lower half, and v. A key management
 * service does not return v, so it is found by recovering the key.
 *
 * @param der ECDSA-Sig-Value of RFC 3279.
 * @returns Null if it is not a signature of that digest by the key with that address.
 */
export function recoverableSignature(der: Uint8Array, digest: Hash, address: Address): Hex | null {
  try {
    const signature = secp256k1.Signature.fromDER(der).normalizeS()
    const message = digest.slice(2)
    for (const bit of [0, 1]) {
      const point = signature.addRecoveryBit(bit).recoverPublicKey(message).toHex(false)
      if (publicKeyToAddress(`0x${point}`) === address) return `0x${signature.toCompactHex()}${(27 + bit).toString(16)}`
    }
  } catch {
    // An unreadable signature counts as wrong.
  }
  return null
}
