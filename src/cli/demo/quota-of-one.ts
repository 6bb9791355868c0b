import { plans } from '../../domain/tenant/organization'
import { withStore } from '../installation/database'
import { newApiKey, newOrganization } from '../installation/tenants'

/** Makes an organization whose month has one execution. @returns a key of it. */
export function quotaOfOne(databaseUrl: string): Promise<string> {
  return withStore(databaseUrl, async ({ organizations, apiKeys, time }) => {
    const slug = `trigger-${crypto.randomUUID().slice(0, 8)}`
    const customPlan = { ...plans.scale, monthlyExecutions: 1 }
    const at = await time()
    const organization = newOrganization({ slug, name: slug, plan: 'custom', customPlan }, at)
    const wish = { organizationId: organization.id, label: 'trigger', role: 'CLIENT', protocolFeeBps: 50 } as const
    const { text, apiKey } = newApiKey({ ...wish, sponsoredGas: false }, at)
    await organizations.save(organization)
    await apiKeys.save(apiKey)
    return text
  })
}
