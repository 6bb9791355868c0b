import type { WebhookEndpoint } from '../domain/webhook/endpoint'
import type { Vault } from '../ports/webhooks/webhooks'

type Whose = Pick<WebhookEndpoint, 'id' | 'organizationId'>

/** What a secret is encrypted for. In the record of another endpoint or organization it cannot be opened. */
const purposeOf = ({ id, organizationId }: Whose): string => `webhook secret of ${organizationId} ${id}`

export const sealedSecret = (whose: Whose, vault: Pick<Vault, 'seal'>, secret: string): string =>
  vault.seal(secret, purposeOf(whose))

/** Opens the secrets of an endpoint once for as long as they stay the same. */
export function keptSecrets(vault: Pick<Vault, 'open'>): (endpoint: WebhookEndpoint, now: number) => string[] {
  let kept: { sealed: readonly string[]; secrets: string[] } | null = null
  return (endpoint, now) => {
    const sealed = sealedAt(endpoint, now)
    if (kept?.sealed.join() !== sealed.join()) kept = { sealed, secrets: secretsOf(endpoint, vault, now) }
    return kept!.secrets
  }
}

/** The secrets that sign at a time; none when the key that encrypted them is not there any more. */
export const secretsOf = (endpoint: WebhookEndpoint, vault: Pick<Vault, 'open'>, now: number): string[] =>
  sealedAt(endpoint, now)
    .map((sealed) => vault.open(sealed, purposeOf(endpoint)))
    .filter((text) => text !== null)

function sealedAt({ secret, previousSecret, previousExpiresAt }: WebhookEndpoint, now: number): string[] {
  const isOverlapping = previousSecret !== null && previousExpiresAt !== null && previousExpiresAt > now
  return [secret, ...(isOverlapping ? [previousSecret] : [])]
}
