import type { Hex } from '../../../src/domain/chain/hex'
import { derSignature, spkiOf } from './key-formats'

/** A key of the stand-in. By default it signs with secp256k1. */
type AwsKey = { arn: string; privateKey: Hex; spec?: string; usage?: string }

/** Errors by the status that AWS KMS documents for them; all others have status 400. */
const statusOf: Record<string, number> = { KMSInternalException: 500, DependencyTimeoutException: 503 }

/**
 * Starts a stand-in for AWS KMS as its API reference documents it: JSON 1.1 with the operation in `x-amz-target`,
 * requests signed for the region, and errors named by `__type`. Only the form of the signatures is checked.
 */
export function startAwsKms(keys: readonly AwsKey[]) {
  let failing: { operation: string; error: string } | null = null

  const refusal = (error: string): Response =>
    Response.json({ __type: error, message: 'from the stand-in' }, { status: statusOf[error] ?? 400 })

  function answer(operation: string, region: string, body: Record<string, unknown>): Response {
    if (failing && (failing.operation === operation || failing.operation === '*')) return refusal(failing.error)
    const key = keys.find(({ arn }) => arn === body['KeyId'])
    if (!key || key.arn.split(':')[3] !== region) return refusal('NotFoundException')
    const { arn, privateKey, spec = 'ECC_SECG_P256K1', usage = 'SIGN_VERIFY' } = key
    const metadata = { KeyId: arn, KeyUsage: usage, SigningAlgorithms: ['ECDSA_SHA_256'] }
    if (operation === 'GetPublicKey')
      return Response.json({
        ...metadata,
        KeySpec: spec,
        CustomerMasterKeySpec: spec,
        PublicKey: spkiOf(privateKey).toString('base64'),
      })
    const message = Buffer.from(String(body['Message']), 'base64')
    if (operation !== 'Sign' || usage !== 'SIGN_VERIFY') return refusal('InvalidKeyUsageException')
    if (body['MessageType'] !== 'DIGEST' || body['SigningAlgorithm'] !== 'ECDSA_SHA_256' || message.length !== 32)
      return refusal('ValidationException')
    const signature = derSignature(privateKey, message).toString('base64')
    return Response.json({ KeyId: arn, Signature: signature, SigningAlgorithm: 'ECDSA_SHA_256' })
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const operation = /^TrentService\.(\w+)$/.exec(request.headers.get('x-amz-target') ?? '')?.[1]
      const signedFor = /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/([a-z0-9-]+)\/kms\/aws4_request, /
      const region = signedFor.exec(request.headers.get('authorization') ?? '')?.[1]
      if (!operation || request.headers.get('content-type') !== 'application/x-amz-json-1.1')
        return refusal('UnknownOperationException')
      if (!region || !request.headers.has('x-amz-date')) return refusal('MissingAuthenticationTokenException')
      return answer(operation, region, (await request.json()) as Record<string, unknown>)
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  return {
    /** The environment that the SDK reads. The credentials are invalid. */
    env: { AWS_ENDPOINT_URL_KMS: url, AWS_ACCESS_KEY_ID: 'AKIDDEVNET', AWS_SECRET_ACCESS_KEY: 'devnet' },
    /** Makes an operation fail with an error, or all of them with `*`, until `mend` is called. */
    fail(operation: string, error: string): void {
      failing = { operation, error }
    },
    mend(): void {
      failing = null
    },
    stop: () => server.stop(true),
  }
}
