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
export const signedHeaders = ({ id, body }: Message, secrets: readonly string[], at: number) => {
  const signatures = secrets.map((secret) => signatureOf(secret, `${id}.${timestampOf(at)}.${body}`))
  return headersOf(id, at, signatures.join(' '))
}

const timestampOf = (at: number): string => String(Math.floor(at / 1_000))

/** Returns the headers of an attempt with its signatures. */
export const headersOf = (eventId: string, at: number, signature: string) => ({
  'content-type': 'application/json',
  'user-agent': 'Switchyard-Webhooks/1',
  'webhook-id': eventId,
  'webhook-timestamp': timestampOf(at),
  'webhook-signature': signature,
})
