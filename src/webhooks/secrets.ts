import type { WebhookEndpoint } from '../domain/webhook/endpoint'
import type { Vault } from '../ports/webhooks/webhooks'

type Whose = Pick<WebhookEndpoint, 'id' | 'organizationId'>

/** What a secret is encrypted for. In the record of another endpoint or organization it cannot be opened. */
const purposeOf = ({ id, organizationId }: Whose): string => `webhook secret of ${organizationId} ${id}`

export const sealedSecret = (whose: Whose, vault: Pick<Vault, 'seal'>, secret: string): string =>
  vault.seal(secret, purposeOf(whose))

/** The secrets that sign at a time; none when the key that encrypted them is not there any more. */
export function secretsOf(endpoint: WebhookEndpoint, vault: Pick<Vault, 'open'>, now: number): string[] {
  const { secret, previousSecret, previousExpiresAt } = endpoint
  const isOverlapping = previousSecret !== null && previousExpiresAt !== null && previousExpiresAt > now
  return [secret, ...(isOverlapping ? [previousSecret] : [])]
    .map((sealed) => vault.open(sealed, purposeOf(endpoint)))
    .filter((text) => text !== null)
}
