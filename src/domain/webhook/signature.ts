const secretPrefix = 'whsec_'
export const secretBytes = 32

/** A secret as integrators get it: Standard Webhooks 1.0. */
export const secretText = (bytes: Uint8Array): string => `${secretPrefix}${Buffer.from(bytes).toString('base64')}`

const signatureOf = (secret: string, signed: string): string => {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  return `v1,${new Bun.CryptoHasher('sha256', key).update(signed).digest('base64')}`
}

type Message = { id: string; body: string }

/**
 * The headers of one attempt, by Standard Webhooks 1.0.
 *
 * @param secrets Each of them signs: during a rotation there are two.
 * @param at When the attempt begins.
 */
export const signedHeaders = (
  { id, body }: Message,
  secrets: readonly string[],
  at: number,
): Record<string, string> => {
  const timestamp = String(Math.floor(at / 1_000))
  return {
    'content-type': 'application/json',
    'user-agent': 'Switchyard-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureOf(secret, `${id}.${timestamp}.${body}`)).join(' '),
  }
}
