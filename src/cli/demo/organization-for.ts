import { type Organization, plans } from '../../domain/tenant/organization'
import { newApiKey, newOrganization } from '../../http/dashboard/new-tenants'
import { withStore } from '../installation/database'

/** Properties of an organization made for one event. */
const kinds = {
  QUOTA_OF_ONE: { plan: 'custom', customPlan: { ...plans.scale, monthlyExecutions: 1 } },
  HOLDS_CHANGES: { plan: 'scale', recipientHold: { hold: { kind: 'DELAY', hours: 24 }, next: null } },
} as const satisfies Record<string, Partial<Organization>>

/**
 * Creates an organization with a quota of one execution a month, or with delayed recipient changes.
 *
 * @returns its key.
 */
export function organizationFor(kind: keyof typeof kinds, databaseUrl: string): Promise<string> {
  return withStore(databaseUrl, async ({ organizations, apiKeys, time }) => {
    const slug = `trigger-${crypto.randomUUID().slice(0, 8)}`
    const at = await time()
    const organization = { ...newOrganization({ slug, name: slug }, at), ...kinds[kind] }
    const keyRequest = {
      organizationId: organization.id,
      label: 'trigger',
      role: 'CLIENT',
      protocolFeeBps: 50,
    } as const
    const { text, apiKey } = newApiKey({ ...keyRequest, sponsoredGas: false }, at, true)
    await organizations.save(organization)
    await apiKeys.save(apiKey)
    return text
  })
}
