import { secp256k1 } from '@noble/curves/secp256k1'
import { publicKeyToAddress } from 'viem/utils'
import type { Address, Hash, Hex } from '../../domain/chain/hex'
import { spkiHead } from '../../protocols/kms/formats'

/** The address of a public key; null when it is not one of secp256k1. */
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
 * A signature as contracts and chains take it: r, s in the lower half, and v, which a key management service does not
 * tell and which is found by recovering the key.
 *
 * @param der ECDSA-Sig-Value of RFC 3279.
 * @returns null when it is not a signature of that digest by the key with that address.
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
    // What cannot be read is no signature.
  }
  return null
}
