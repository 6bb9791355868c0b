import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms'
import { hexToBytes } from 'viem/utils'
import type { SigningKey } from '../../ports/signer'
import { addressOfSpki, recoverableSignature } from './digest-signature'
import { KeyFailure, shownCode } from './key-failure'

/** Within what a worker waits for an answer of the signer. */
const [connectMs, answerMs, attempts] = [1_500, 3_000, 2]

/**
 * A key of AWS KMS, which the SDK reaches with whatever credentials it finds: the role of the machine, of the pod, or
 * the usual variables.
 *
 * @param arn The ARN of a key, which names its region; an alias could be pointed at another key.
 * @throws {KeyFailure}
 */
export async function awsKey(arn: string): Promise<SigningKey> {
  const client = new KMSClient({
    region: arn.split(':')[3]!,
    maxAttempts: attempts,
    requestHandler: { connectionTimeout: connectMs, requestTimeout: answerMs, throwOnRequestTimeout: true },
  })
  const found = await client.send(new GetPublicKeyCommand({ KeyId: arn })).catch((error) => {
    throw failureOf(error)
  })
  if (found.KeyUsage !== 'SIGN_VERIFY' || found.KeySpec !== 'ECC_SECG_P256K1') throw new KeyFailure(notOurs, false)
  const address = addressOfSpki(found.PublicKey ?? new Uint8Array())
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
      if (!signature) throw new KeyFailure('was answered for by AWS KMS with a signature that is not its own', true)
      return signature
    },
  }
}

const notOurs = 'is not one of AWS KMS that signs with secp256k1 (ECC_SECG_P256K1, SIGN_VERIFY)'
const noCredentials = 'cannot be used: AWS KMS takes no credentials of this process'

/** What only an operator can mend, by the names that AWS documents. */
const refusals: Record<string, string> = {
  AccessDeniedException:
    'is refused to this process by AWS KMS: its role needs kms:GetPublicKey and kms:Sign of this key',
  NotFoundException: 'is not known to AWS KMS in the region that its ARN names',
  DisabledException: 'is disabled in AWS KMS',
  KMSInvalidStateException: 'is disabled in AWS KMS, or will be deleted',
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
  const code = shownCode(name)
  const refusal = refusals[code]
  if (refusal) return new KeyFailure(refusal, false)
  const isAway = $fault !== 'client' || passing.test(code)
  return new KeyFailure(`cannot be used now: AWS KMS does not sign (${code})`, isAway)
}
