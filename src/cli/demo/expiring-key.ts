import { apiKeyDigest } from '../../domain/tenant/api-key-format'
import { newApiKey } from '../../http/dashboard/new-tenants'
import { withStore } from '../installation/database'

const dayMs = 86_400_000

/** Adds a key that expires in a day to the organization of another key. Its text is discarded. @returns its id. */
export function addExpiringKey(databaseUrl: string, beside: string): Promise<string> {
  return withStore(databaseUrl, async ({ apiKeys, time }) => {
    const { organizationId } = (await apiKeys.findByDigest(apiKeyDigest(beside)))!
    const at = await time()
    const { apiKey } = newApiKey({ organizationId, label: 'trigger', expiresAt: at + dayMs }, at, true)
    await apiKeys.save(apiKey)
    return apiKey.id
  })
}
