import type { MongoStore } from '../../adapters/mongo/mongo-store'
import { tokens } from '../../devnet/chains/tokens'
import { type BlacklistEntry, blacklistId } from '../../domain/blacklist-entry'
import type { ApiKey, Role } from '../../domain/tenant/api-key'
import { type CustomPlan, type Organization, plans, type Rates } from '../../domain/tenant/organization'
import { newApiKey, newOrganization } from '../../http/dashboard/new-tenants'
import type { Records } from '../../ports/records'

type Store = Pick<MongoStore, 'organizations' | 'apiKeys' | 'blacklist'>

const allClasses = (perSecond: number, burst: number): Rates => ({
  R: { perSecond, burst },
  W: { perSecond, burst },
  S: { perSecond, burst },
  X: { perSecond, burst },
})
const unlimited: CustomPlan = { ...plans.scale, rates: allClasses(100_000, 100_000) }
const limited: CustomPlan = { ...plans.scale, rates: allClasses(5, 5) }
const withoutQuota: CustomPlan = { ...unlimited, monthlyExecutions: 0 }

/** The seeded organizations. Tests use `other` to check that tenants cannot see each other. */
const organizations = {
  sandbox: { customPlan: unlimited },
  other: { customPlan: unlimited },
  'sandbox-limited': { customPlan: limited },
  'sandbox-quota': { customPlan: withoutQuota },
  platform: { customPlan: unlimited, isPlatform: true },
} as const satisfies Record<string, Partial<Organization>>

type Row = { organization: keyof typeof organizations } & Partial<ApiKey>
const client = { role: 'CLIENT', protocolFeeBps: 50, sponsoredGas: false } as const
const operator = { role: 'OPERATOR' } as const

const keys = {
  client: { organization: 'sandbox', ...client },
  sponsored: { organization: 'sandbox', ...client, sponsoredGas: true },
  operator: { organization: 'sandbox', ...operator },
  revoked: { organization: 'sandbox', ...client, revokedAt: 0 },
  otherOrganization: { organization: 'other', ...client },
  otherOperator: { organization: 'other', ...operator },
  limited: { organization: 'sandbox-limited', ...client },
  limitedOperator: { organization: 'sandbox-limited', ...operator },
  quota: { organization: 'sandbox-quota', ...client },
  quotaOperator: { organization: 'sandbox-quota', ...operator },
  platformOperator: { organization: 'platform', ...operator },
} as const satisfies Record<string, Row>

/** Whether a database was filled by `seed`. Organizations made later have random ids. */
export const isSandbox = async ({ organizations: stored }: Pick<Store, 'organizations'>): Promise<boolean> =>
  (await stored.load('org_sandbox')) !== null

export type SeededKeys = Record<keyof typeof keys, string>

/** Returns the label of each organization's first key with a role, by the organization's slug. */
export const seededKeyLabels = (wanted: Role): Readonly<Record<string, keyof SeededKeys>> =>
  Object.fromEntries(
    Object.entries<Row>(keys)
      .filter(([, { role, revokedAt }]) => role === wanted && revokedAt === undefined)
      .map(([label, { organization }]) => [organization, label as keyof SeededKeys])
      .toReversed(),
  )

/** Fills a new devnet database. @returns the texts of the keys by label. */
export async function seed(store: Store, now: number): Promise<SeededKeys> {
  const ids = new Map<string, string>()
  for (const [slug, row] of Object.entries(organizations)) {
    const organization = newOrganization({ name: slug, slug, id: `org_${slug}`, plan: 'custom', ...row }, now)
    ids.set(slug, organization.id)
    await create(store.organizations, organization)
  }
  const texts: Record<string, string> = {}
  await Promise.all(
    Object.entries<Row>(keys).map(async ([label, { organization, ...row }]) => {
      const { text, apiKey } = newApiKey({ organizationId: ids.get(organization)!, label, ...row }, now, true)
      texts[label] = text
      await create(store.apiKeys, row.revokedAt === undefined ? apiKey : { ...apiKey, revokedAt: now })
    }),
  )
  await Promise.all(scamEntries(now).map((entry) => create(store.blacklist, entry)))
  return texts as SeededKeys
}

async function create<R extends { id: string; version: number }>(records: Records<R>, record: R): Promise<void> {
  if (!(await records.save(record)))
    throw new Error(`The database holds ${record.id} already: the devnet needs its own database`)
}

/** Returns the entries of the security list: the token SY-SCAM on each chain. */
const scamEntries = (now: number): BlacklistEntry[] =>
  tokens
    .filter(({ symbol }) => symbol === 'SY-SCAM')
    .map(({ chainId, address }) => ({
      id: blacklistId('TOKEN', chainId, address),
      version: 0,
      kind: 'TOKEN',
      chainId,
      address: address.toLowerCase(),
      listedAs: 'SCAM',
      source: 'IMPORT',
      reason: 'The devnet has one of these to show what happens.',
      expiresAt: null,
      createdAt: now,
      updatedAt: now,
      removedAt: null,
    }))
