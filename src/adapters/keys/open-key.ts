import { privateKeyToAccount } from 'viem/accounts'
import { keccak256, stringToHex } from 'viem/utils'
import type { Hex } from '../../domain/chain/hex'
import type { SigningKey } from '../../ports/signer'
import { KeyFailure } from './key-failure'

/** A private key, or the name of a key in a key management service. */
export type KeySource = Hex | `aws-kms:${string}` | `gcp-kms:${string}`

const awsForm = /^aws-kms:arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/
const gcpForm =
  /^gcp-kms:projects\/[\w.:-]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+\/cryptoKeyVersions\/\d+$/

/** Whether a text names a key in a key management service: an ARN, or the resource name of one version. */
export const isKmsKey = (text: string): boolean => awsForm.test(text) || gcpForm.test(text)

/** Signed once when a key is opened. This is the digest of no order and no transaction. */
const proof = keccak256(stringToHex('Switchyard examines whether it may use this key'))

/**
 * Opens a key. A key outside this process signs once, because only a signature proves that it may be used. A service's
 * SDK is loaded only if one of its keys is named.
 *
 * @throws {KeyFailure}
 */
export async function openKey(source: KeySource, { gcpKmsUrl }: { gcpKmsUrl: string }): Promise<SigningKey> {
  if (!isKmsKey(source)) return memoryKey(source as Hex)
  const name = source.slice(source.indexOf(':') + 1)
  const key = source.startsWith('aws-kms:')
    ? await (await import('./aws-key')).awsKey(name)
    : await (await import('./gcp-key')).gcpKey(name, gcpKmsUrl)
  await key.sign(proof)
  return {
    address: key.address,
    sign: (digest) =>
      key.sign(digest).catch((error) => {
        throw error instanceof KeyFailure ? error.asWait() : error
      }),
  }
}

/** A key in the memory of this process. */
export function memoryKey(privateKey: Hex): SigningKey {
  const account = privateKeyToAccount(privateKey)
  return { address: account.address, sign: (hash) => account.sign({ hash }) }
}
