import type { Outcome } from '../domain/webhook/delivery'
import { signedHeaders } from '../domain/webhook/signature'
import type { PostWebhook } from '../ports/webhooks'

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
