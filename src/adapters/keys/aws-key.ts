import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms'
import { hexToBytes } from 'viem/utils'
import type { SigningKey } from '../../ports/signer'
import { addressOfSpki, recoverableSignature } from './digest-signature'
import { KeyFailure, safeCode } from './key-failure'

/** Timeouts in milliseconds, and attempts. They fit into the time that a worker waits for the signer. */
const [connectMs, answerMs, attempts] = [1_500, 3_000, 2]

/**
 * Opens a key of AWS KMS. The SDK uses any credentials that it finds: the role of the machine or of the pod, or the
 * usual variables.
 *
 * @param arn ARN of a key, which names its region. An alias is not accepted, because it could be pointed at another
 * key.
 * @throws {KeyFailure}
 */
export async function awsKey(arn: string): Promise<SigningKey> {
  const client = new KMSClient({
    region: arn.split(':')[3]!,
    maxAttempts: attempts,
    requestHandler: { connectionTimeout: connectMs, requestTimeout: answerMs, throwOnRequestTimeout: true },
  })
  const response = await client.send(new GetPublicKeyCommand({ KeyId: arn })).catch((error) => {
    throw failureOf(error)
  })
  if (response.KeyUsage !== 'SIGN_VERIFY' || response.KeySpec !== 'ECC_SECG_P256K1')
    throw new KeyFailure(notOurs, false)
  const address = addressOfSpki(response.PublicKey ?? new Uint8Array())
  if (!address) throw new KeyFailure(notOurs, false)

  return {
    address,
    async sign(digest) {
      const command = new SignCommand({
        KeyId: arn,
        Message: hexToBytes(digest),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      })
      const answer = await client.send(command).catch((error) => {
        throw failureOf(error)
      })
      const signature = recoverableSignature(answer.Signature ?? new Uint8Array(), digest, address)
      if (!signature)
        throw new KeyFailure('cannot be used now: AWS KMS returned a signature that this key did not make', true)
      return signature
    },
  }
}

const notOurs = 'is not an AWS KMS key that signs with secp256k1 (ECC_SECG_P256K1, SIGN_VERIFY)'
const noCredentials = 'cannot be used: AWS KMS accepts no credentials of this process'

/** Refusals that only an operator can fix, by the names that AWS documents. */
const refusals: Record<string, string> = {
  AccessDeniedException:
    'cannot be used by this process: its role in AWS needs kms:GetPublicKey and kms:Sign on this key',
  NotFoundException: 'does not exist in AWS KMS in the region of its ARN',
  DisabledException: 'is disabled in AWS KMS',
  KMSInvalidStateException: 'is disabled in AWS KMS, or scheduled for deletion',
  InvalidKeyUsageException: notOurs,
  UnsupportedOperationException: notOurs,
  CredentialsProviderError: noCredentials,
  UnrecognizedClientException: noCredentials,
  InvalidSignatureException: noCredentials,
  ExpiredTokenException: noCredentials,
}
const passing = /Throttling|TooManyRequests|LimitExceeded|Timeout|Unavailable|Internal/

function failureOf(error: unknown): KeyFailure {
  const { name, $fault } = (error ?? {}) as { name?: unknown; $fault?: unknown }
  const code = safeCode(name)
  const refusal = refusals[code]
  if (refusal) return new KeyFailure(refusal, false)
  const isAway = $fault !== 'client' || passing.test(code)
  return new KeyFailure(`cannot be used now: AWS KMS does not sign (${code})`, isAway)
}
