const secretPrefix = 'whsec_'
export const secretBytes = 32

/** Returns a secret in the format that integrators receive: Standard Webhooks 1.0. */
export const secretText = (bytes: Uint8Array): string => `${secretPrefix}${Buffer.from(bytes).toString('base64')}`

const signatureOf = (secret: string, signed: string): string => {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  return `v1,${new Bun.CryptoHasher('sha256', key).update(signed).digest('base64')}`
}

type Message = { id: string; body: string }

/**
 * Returns the headers of one attempt, as defined by Standard Webhooks 1.0.
 *
 * @param secrets Every secret signs. There are two during a rotation.
 * @param at Start of the attempt.
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
