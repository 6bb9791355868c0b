import type { Hex } from '../../../src/domain/chain/hex'
import { crc32c } from '../../../src/protocols/kms/formats'
import { derSignature, spkiOf } from './key-formats'

/** A key version of the stand-in. By default it signs with secp256k1, and responds with its own name. */
type GcpKey = { name: string; privateKey: Hex; algorithm?: string; answersAs?: string }

/** The HTTP status and number of the google.rpc codes that KMS returns. */
const codes = {
  PERMISSION_DENIED: [403, 7],
  NOT_FOUND: [404, 5],
  INVALID_ARGUMENT: [400, 3],
  FAILED_PRECONDITION: [400, 9],
  UNAUTHENTICATED: [401, 16],
  RESOURCE_EXHAUSTED: [429, 8],
  UNAVAILABLE: [503, 14],
} as const
type Code = keyof typeof codes

/** GARBLED: the content of the response does not match its checksum. */
type Failure = Code | 'GARBLED' | 'UNVERIFIED'

/**
 * Starts a stand-in for Google Cloud KMS as its REST reference documents it. The same server stands in for the metadata
 * server of Google Cloud, which gives processes there their credentials.
 */
export function startGcpKms(keys: readonly GcpKey[]) {
  let failing: { method: string; failure: Failure } | null = null
  const token = 'ya29.devnet'

  const refusal = (status: Code): Response =>
    Response.json(
      { error: { code: codes[status][0], message: 'from the stand-in', status } },
      { status: codes[status][0] },
    )

  function metadata(path: string): Response {
    const headers = { 'metadata-flavor': 'Google' }
    if (!path.endsWith('/token')) return new Response('devnet', { headers })
    return Response.json({ access_token: token, expires_in: 3_600, token_type: 'Bearer' }, { headers })
  }

  async function answer(method: string, name: string, request: Request): Promise<Response> {
    if (request.headers.get('authorization') !== `Bearer ${token}`) return refusal('UNAUTHENTICATED')
    const failure = failing && (failing.method === method || failing.method === '*') ? failing.failure : null
    if (failure && failure in codes) return refusal(failure as Code)
    const key = keys.find((each) => each.name === name)
    if (!key) return refusal('NOT_FOUND')
    const { privateKey, algorithm = 'EC_SIGN_SECP256K1_SHA256', answersAs = name } = key
    const summed = (bytes: Uint8Array) => String(failure === 'GARBLED' ? crc32c(bytes) ^ 1 : crc32c(bytes))
    if (method === 'publicKey') {
      const body = spkiOf(privateKey).toString('base64').replace(/.{64}/g, '$&\n')
      const pem = `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\n`
      return Response.json({
        name: answersAs,
        pem,
        algorithm,
        pemCrc32c: summed(Buffer.from(pem)),
        protectionLevel: 'HSM',
      })
    }
    const { digest, digestCrc32c } = (await request.json()) as { digest: { sha256: string }; digestCrc32c: string }
    const bytes = Buffer.from(digest.sha256, 'base64')
    if (bytes.length !== 32 || digestCrc32c !== String(crc32c(bytes))) return refusal('INVALID_ARGUMENT')
    const signature = derSignature(privateKey, bytes)
    return Response.json({
      ...{ name: answersAs, signature: signature.toString('base64'), signatureCrc32c: summed(signature) },
      ...{ verifiedDigestCrc32c: failure !== 'UNVERIFIED', protectionLevel: 'HSM' },
    })
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname.startsWith('/computeMetadata/')) return metadata(pathname)
      const [, name, slash, verb] =
        /^\/v1\/(projects\/.*\/cryptoKeyVersions\/\d+)(?:(\/publicKey)|:(asymmetricSign))$/.exec(pathname) ?? []
      return name ? answer(slash ? 'publicKey' : verb!, name, request) : refusal('NOT_FOUND')
    },
  })
  return {
    /** The environment that the SDK and the service read. */
    env: { GCP_KMS_URL: `http://127.0.0.1:${server.port}`, GCE_METADATA_HOST: `127.0.0.1:${server.port}` },
    /** Makes a method fail, or all of them with `*`, until `mend` is called. */
    fail(method: string, failure: Failure): void {
      failing = { method, failure }
    },
    mend(): void {
      failing = null
    },
    stop: () => server.stop(true),
  }
}
