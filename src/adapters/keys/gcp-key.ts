import { KeyManagementServiceClient } from '@google-cloud/kms'
import { hexToBytes } from 'viem/utils'
import type { SigningKey } from '../../ports/signer'
import { crc32c } from '../../protocols/kms/formats'
import { addressOfSpki, recoverableSignature } from './digest-signature'
import { KeyFailure, safeCode } from './key-failure'

/** One attempt, in milliseconds, within the time that a worker waits for the signer. The caller tries again. */
const callOptions = { timeout: 5_000, retry: null }

/**
 * Opens a key version of Google Cloud KMS. The SDK uses REST and the default credentials of the process.
 *
 * @param name `projects/…/cryptoKeyVersions/…`
 * @param url Base URL of the API.
 * @throws {KeyFailure}
 */
export async function gcpKey(name: string, url: string): Promise<SigningKey> {
  const client = clientAt(url)
  const [publicKey] = await client.getPublicKey({ name }, callOptions as never).catch((error) => {
    throw failureOf(error)
  })
  const pem = publicKey.pem ?? ''
  if (!isSummed(publicKey.pemCrc32c?.value, Buffer.from(pem)) || !isSameKey(publicKey.name, name))
    throw new KeyFailure(garbled, true)
  const address = publicKey.algorithm === 'EC_SIGN_SECP256K1_SHA256' ? addressOfSpki(derOf(pem)) : null
  if (!address) throw new KeyFailure(notOurs, false)

  return {
    address,
    async sign(digest) {
      const sha256 = hexToBytes(digest) // the API has one field for every digest of 32 bytes
      const question = { name, digest: { sha256 }, digestCrc32c: { value: crc32c(sha256) } }
      const [answer] = await client.asymmetricSign(question, callOptions as never).catch((error) => {
        throw failureOf(error)
      })
      const der = Buffer.from(answer.signature ?? '')
      const isWhole = answer.verifiedDigestCrc32c && isSummed(answer.signatureCrc32c?.value, der)
      if (!isWhole || !isSameKey(answer.name, name)) throw new KeyFailure(garbled, true)
      const signature = recoverableSignature(der, digest, address)
      if (!signature)
        throw new KeyFailure('cannot be used now: Google Cloud KMS returned a signature of another key', true)
      return signature
    },
  }
}

/** All keys share one client per URL, because every client looks up its credentials again. */
const clients = new Map<string, KeyManagementServiceClient>()

function clientAt(url: string): KeyManagementServiceClient {
  const { protocol, hostname, port } = new URL(url)
  const scheme = protocol.slice(0, -1)
  const made = { apiEndpoint: hostname, port: Number(port || (scheme === 'https' ? 443 : 80)), protocol: scheme }
  const client = clients.get(url) ?? new KeyManagementServiceClient({ fallback: true, ...made })
  clients.set(url, client)
  return client
}

/**
 * Whether two names denote the same key version. A project has a number and an id, and the response may hold either.
 * Only the service knows which belong together, so any number matches any id. The credentials decide on the project.
 */
function isSameKey(one: unknown, other: string): boolean {
  const [ofOne, ofOther] = [String(one).split('/'), other.split('/')]
  const [project, otherProject] = [ofOne.splice(1, 1)[0] ?? '', ofOther.splice(1, 1)[0]!]
  const isNumber = (text: string) => /^\d+$/.test(text)
  return (
    ofOne.join('/') === ofOther.join('/') && (project === otherProject || isNumber(project) !== isNumber(otherProject))
  )
}

const isSummed = (sum: unknown, bytes: Uint8Array): boolean => String(sum) === String(crc32c(bytes))
const derOf = (pem: string): Uint8Array => Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')

const garbled = 'cannot be used now: a request to Google Cloud KMS, or its response, was changed in transit'
const notOurs = 'is not a Google Cloud KMS key that signs with secp256k1 (EC_SIGN_SECP256K1_SHA256)'

/** Refusals that only an operator can fix, by the numbers of google.rpc.Code. */
const refusals: Record<number, string> = {
  3: notOurs,
  5: 'does not exist in Google Cloud KMS in the project and location of its name',
  7: 'cannot be used by this process: in Google Cloud it needs the role cloudkms.signerVerifier on this key',
  9: 'is disabled in Google Cloud KMS, or has another purpose',
  16: 'cannot be used: Google Cloud KMS accepts no credentials of this process',
}

function failureOf(error: unknown): KeyFailure {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (/default credentials/.test(String(message))) return new KeyFailure(refusals[16]!, false)
  const refusal = refusals[Number(code)]
  if (refusal) return new KeyFailure(refusal, false)
  return new KeyFailure(`cannot be used now: Google Cloud KMS does not sign (${safeCode(code)})`, true)
}
