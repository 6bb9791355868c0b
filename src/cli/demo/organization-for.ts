import { type Organization, plans } from '../../domain/tenant/organization'
import { withStore } from '../installation/database'
import { newApiKey, newOrganization } from '../installation/tenants'

/** What an organization of its own is like to which something is to happen. */
const kinds = {
  QUOTA_OF_ONE: { plan: 'custom', customPlan: { ...plans.scale, monthlyExecutions: 1 } },
  HOLDS_CHANGES: { plan: 'scale', recipientHold: { hold: { kind: 'DELAY', hours: 24 }, next: null } },
} as const satisfies Record<string, Partial<Organization>>

/** Makes an organization whose month has one execution, or whose changes of recipients wait. @returns a key of it. */
export function organizationFor(kind: keyof typeof kinds, databaseUrl: string): Promise<string> {
  return withStore(databaseUrl, async ({ organizations, apiKeys, time }) => {
    const slug = `trigger-${crypto.randomUUID().slice(0, 8)}`
    const at = await time()
    const organization = { ...newOrganization({ slug, name: slug }, at), ...kinds[kind] }
    const wish = { organizationId: organization.id, label: 'trigger', role: 'CLIENT', protocolFeeBps: 50 } as const
    const { text, apiKey } = newApiKey({ ...wish, sponsoredGas: false }, at)
    await organizations.save(organization)
    await apiKeys.save(apiKey)
    return text
  })
}
