import { isDeepStrictEqual } from 'node:util'
import { isAddressEqual, recoverAddress } from 'viem'
import type { Address } from '../../domain/chain/hex'
import {
  contradictionsIn,
  misformedIn,
  receiptDigest,
  receiptDomain,
  receiptFields,
  receiptTypes,
  type SignedReceipt,
} from '../../domain/execution/receipt'
import { Failure } from '../terminal/failure'

/** Half of the order of secp256k1. A signature has a twin with another s; only the one with the smaller s counts. */
const lowestHalf = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** Whether a text is a signature in its only spelling. */
const isSignature = (text: unknown): text is SignedReceipt['signature'] =>
  typeof text === 'string' && /^0x[0-9a-f]{128}1[bc]$/.test(text) && BigInt(`0x${text.slice(66, 130)}`) <= lowestHalf

/**
 * Returns a parsed file as a receipt. Every field must have its form, and no field may be outside the signed message
 * and its proof.
 *
 * @throws {Failure} naming the first field that is wrong.
 */
export function formedReceipt(parsed: unknown): SignedReceipt {
  const named = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Record<string, unknown>
  const extra = Object.keys(named).find((name) => !receiptFields.some((field) => field === name))
  const { domain, types, primaryType, message, digest, signer, signature } = named
  const checks: [boolean, string | null][] = [
    [extra !== undefined, extra ?? null],
    [!isDeepStrictEqual(domain, receiptDomain), 'domain'],
    [!isDeepStrictEqual(types, receiptTypes), 'types'],
    [primaryType !== 'Receipt', 'primaryType'],
    [misformedIn(message) !== null, misformedIn(message)],
    [misformedIn(digest, 'bytes32') !== null, 'digest'],
    [misformedIn(signer, 'address') !== null, 'signer'],
    [!isSignature(signature), 'signature'],
  ]
  const field = checks.find(([isWrong]) => isWrong)?.[1]
  if (field) throw new Failure(`This is not a receipt of version ${receiptDomain.version}: ${field} is wrong.`)
  return named as SignedReceipt
}

/**
 * Checks digest, signature and signer of a receipt, without a node.
 *
 * @throws {Failure} naming the first part that is wrong.
 */
export async function assureSigned(receipt: SignedReceipt, signers: readonly Address[]): Promise<void> {
  const { message, digest, signer, signature } = receipt
  if (receiptDigest(message) !== digest)
    throw new Failure('The digest does not match the message: a field was changed.')
  const recovered = await recoverAddress({ hash: digest, signature }).catch(() => null)
  if (!recovered || !isAddressEqual(recovered, signer)) throw new Failure(`The signature is not by ${signer}.`)
  if (!signers.some((trusted) => isAddressEqual(trusted, signer)))
    throw new Failure(`${signer} signed this, which is not among the trusted signers: ${signers.join(', ') || 'none'}.`)
  const contradictions = contradictionsIn(message)
  if (contradictions.length > 0) throw new Failure(`The receipt contradicts itself. ${contradictions.join(' ')}`)
}
