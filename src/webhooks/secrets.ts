import type { Outcome } from '../domain/webhook/delivery'
import type { WebhookEndpoint } from '../domain/webhook/endpoint'
import { signedHeaders } from '../domain/webhook/signature'
import type { PostWebhook, Vault } from '../ports/webhooks'

type Whose = Pick<WebhookEndpoint, 'id' | 'organizationId'>

/** The encryption purpose of a secret. A copy in the record of another endpoint or organization cannot be decrypted. */
const purposeOf = ({ id, organizationId }: Whose): string => `webhook secret of ${organizationId} ${id}`

export const sealedSecret = (whose: Whose, vault: Pick<Vault, 'seal'>, secret: string): string =>
  vault.seal(secret, purposeOf(whose))

/** Decrypts the secrets of an endpoint, and again only when they change. */
export function cachedSecrets(vault: Pick<Vault, 'open'>): (endpoint: WebhookEndpoint, now: number) => string[] {
  let cached: { sealed: readonly string[]; secrets: string[] } | null = null
  return (endpoint, now) => {
    const sealed = sealedAt(endpoint, now)
    if (cached?.sealed.join() !== sealed.join()) cached = { sealed, secrets: secretsOf(endpoint, vault, now) }
    return cached!.secrets
  }
}

/** Returns the secrets that sign at a time; none if the key that encrypted them is gone. */
export const secretsOf = (endpoint: WebhookEndpoint, vault: Pick<Vault, 'open'>, now: number): string[] =>
  sealedAt(endpoint, now)
    .map((sealed) => vault.open(sealed, purposeOf(endpoint)))
    .filter((text) => text !== null)

function sealedAt({ secret, previousSecret, previousExpiresAt }: WebhookEndpoint, now: number): string[] {
  const isOverlapping = previousSecret !== null && previousExpiresAt !== null && previousExpiresAt > now
  return [secret, ...(isOverlapping ? [previousSecret] : [])]
}

/** Posts an event with its signatures, which the result names. Nothing is posted without a secret. */
export async function postedSigned(
  post: PostWebhook,
  { url, id, body }: { url: string; id: string; body: string },
  secrets: readonly string[],
  at: number,
): Promise<Outcome> {
  if (secrets.length === 0) return { statusCode: null, durationMs: 0, error: 'SECRET_UNREADABLE', retryAfterMs: null }
  const headers = signedHeaders({ id, body }, secrets, at)
  return { ...(await post(url, { headers, body })), signature: headers['webhook-signature'] }
}
