import { keccak256, stringToHex } from 'viem/utils'
import type { Hex } from '../../domain/chain/hex'
import type { SigningKey } from '../../ports/signer'
import { KeyFailure } from './key-failure'
import { memoryKey } from './memory-key'

/** A private key, or the name of one in a key management service. */
export type KeySource = Hex | `aws-kms:${string}` | `gcp-kms:${string}`

const awsForm = /^aws-kms:arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/
const gcpForm =
  /^gcp-kms:projects\/[\w.:-]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+\/cryptoKeyVersions\/\d+$/

/** Whether a text names a key of a key management service, by its ARN or the resource name of one version. */
export const isKmsKey = (text: string): boolean => awsForm.test(text) || gcpForm.test(text)

/** Signed once when a key is opened. No order and no transaction has this digest. */
const proof = keccak256(stringToHex('Switchyard examines whether it may use this key'))

/**
 * Opens a key, and has it sign once where it is not in this process, because only that shows that it may sign. The
 * SDK of a service is loaded only when a key of it is named.
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
