import type { components } from './schema.js'

/** A posted event: any event, or a test sample, which no list or stream contains. */
export type WebhookEvent =
  | components['schemas']['Event']
  | { id: string; type: 'webhook.test'; timestamp: string; seq: null; data: { message: string } }

export type WebhookProblem =
  | 'MISSING_HEADER'
  | 'INVALID_TIMESTAMP'
  | 'TIMESTAMP_TOO_OLD'
  | 'TIMESTAMP_TOO_NEW'
  | 'NO_MATCHING_SIGNATURE'
  | 'INVALID_BODY'

/** The request is no webhook of the service, or too old. Respond with 400 and do nothing. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'

  constructor(
    readonly code: WebhookProblem,
    message: string,
  ) {
    super(message)
  }
}

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export type WebhookRequest = {
  /** The raw bytes, or their text. JSON that was parsed and serialised again does not verify. */
  body: string | Uint8Array
  headers: WebhookHeaders
  /** `whsec_…`; several during a rotation. */
  secret: string | readonly string[]
  /** Largest difference between the sending time and now, in seconds, in either direction. Default 300. */
  toleranceSeconds?: number
  /** Milliseconds since 1970. Default: the clock. */
  now?: number
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>

/**
 * Verifies a webhook by Standard Webhooks 1.0 and returns its event. The comparison takes constant time. One valid
 * signature is enough, because there are two during a secret's rotation.
 *
 * @throws WebhookVerificationError if it is not genuine; TypeError if the secret is invalid.
 */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent> {
  const { headers, toleranceSeconds = 300, now = Date.now() } = request
  const [id, timestamp, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = headerOf(headers, name)
    if (!value) throw new WebhookVerificationError('MISSING_HEADER', `The header ${name} is missing`)
    return value
  }) as [string, string, string]
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('INVALID_TIMESTAMP', 'webhook-timestamp must be seconds since 1970')
  const ageSeconds = now / 1_000 - Number(timestamp)
  if (ageSeconds > toleranceSeconds)
    throw new WebhookVerificationError('TIMESTAMP_TOO_OLD', 'The webhook was sent too long ago')
  if (ageSeconds < -toleranceSeconds)
    throw new WebhookVerificationError('TIMESTAMP_TOO_NEW', 'The webhook was sent in the future')

  const body = typeof request.body === 'string' ? bytesOf(request.body) : request.body
  const signed = joined(bytesOf(`${id}.${timestamp}.`), body)
  const secrets = typeof request.secret === 'string' ? [request.secret] : request.secret
  const keys = await Promise.all(secrets.map(keyOf))
  const signatures = given.split(' ').flatMap((each) => (each.startsWith('v1,') ? (decoded(each.slice(3)) ?? []) : []))
  let isGenuine = false
  for (const key of keys)
    for (const signature of signatures)
      isGenuine = (await crypto.subtle.verify('HMAC', key, signature, signed)) || isGenuine
  if (!isGenuine) throw new WebhookVerificationError('NO_MATCHING_SIGNATURE', 'No signature matches this secret')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookEvent
  } catch {
    throw new WebhookVerificationError('INVALID_BODY', 'The body is not JSON')
  }
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name)
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return typeof value === 'string' ? value : (value?.join(' ') ?? null)
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = decoded(secret.replace(/^whsec_/, ''))
  if (!bytes || bytes.length === 0) throw new TypeError('A secret must be whsec_ followed by base64')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
