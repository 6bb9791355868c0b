import { secp256k1 } from '@noble/curves/secp256k1'
import type { Hex } from '../../../src/domain/chain/hex'
import { spkiHead } from '../../../src/protocols/kms/formats'

/** The public key as SubjectPublicKeyInfo. */
export const spkiOf = (privateKey: Hex): Buffer =>
  Buffer.from(
    `${spkiHead}${secp256k1.ProjectivePoint.fromPrivateKey(privateKey.slice(2)).toHex(false).slice(2)}`,
    'hex',
  )

let signed = 0

/** A signature in DER. As with the real services, s is as often in the upper half as in the lower. */
export function derSignature(privateKey: Hex, digest: Uint8Array): Buffer {
  const low = secp256k1.sign(digest, privateKey.slice(2), { lowS: true })
  const isHigh = signed++ % 2 === 0
  const signature = isHigh ? new secp256k1.Signature(low.r, secp256k1.CURVE.n - low.s) : low
  return Buffer.from(signature.toDERHex(), 'hex')
}
