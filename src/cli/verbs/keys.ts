import { rewrite } from '../../domain/concurrency'
import { hasEnded, isExpired, type Role } from '../../domain/tenant/api-key'
import { maySponsorGas } from '../../domain/tenant/organization'
import { newApiKey } from '../../http/dashboard/new-tenants'
import { isSandbox } from '../demo/seed'
import { appendAudit } from '../installation/audit'
import { databaseUrl, withStore } from '../installation/database'
import { findOrganization } from '../installation/find-organization'
import { Failure } from '../terminal/failure'
import { table } from '../terminal/table'

type KeyOptions = {
  organization: string
  label: string
  role: Role
  protocolFeeBps: number
  sponsoredGas?: boolean
  expiresInDays?: number
  allow?: string[]
}

/** Prints only the key's text to standard output, for scripts, and the rest to standard error. */
export async function createKey({
  organization: name,
  expiresInDays,
  sponsoredGas = false,
  allow = [],
  ...terms
}: KeyOptions): Promise<void> {
  await withStore(databaseUrl(), async (store) => {
    const organization = await findOrganization(store, name)
    if (sponsoredGas && !maySponsorGas(organization))
      throw new Failure(`The plan of ${organization.slug} (${organization.plan}) has no sponsored gas.`)
    const now = await store.time()
    const expiresAt = expiresInDays === undefined ? null : now + expiresInDays * 86_400_000
    const settings = { ...terms, sponsoredGas, expiresAt, allowedAddresses: allow }
    const { id: organizationId } = organization
    const { text, apiKey } = newApiKey({ organizationId, ...settings }, now, await isSandbox(store))
    await appendAudit(store, { organizationId, verb: 'key.create', target: apiKey.id, details: settings })
    const stored = await store.apiKeys.save(apiKey)
    if (!stored) throw new Failure('The key could not be stored; try again.')
    console.error(`${stored.role} key ${stored.id} of ${organization.slug}. Shown only once:`)
    console.log(text)
  })
}

export async function listKeys({ organization: name }: { organization?: string }): Promise<void> {
  await withStore(databaseUrl(), async (store) => {
    const chosen = name ? [await findOrganization(store, name)] : await store.organizations.all()
    const rows = await Promise.all(
      chosen.map(async ({ id, slug }) =>
        (await store.apiKeys.ofOrganization(id)).map((key) => [
          slug,
          key.id,
          `${key.prefix}…`,
          key.role,
          key.label,
          `${key.protocolFeeBps} bps`,
          key.sponsoredGas ? 'gas sponsored' : '',
          [...(key.allowedAddresses ?? [])].join(' '),
          key.revokedAt === null
            ? ''
            : `${isExpired(key) ? 'expires' : 'revoked'} ${new Date(key.revokedAt).toISOString()}`,
        ]),
      ),
    )
    console.log(table(['organization', 'id', 'key', 'role', 'label', 'fee', 'gas', 'from', ''], rows.flat()))
  })
}

export async function revokeKey(id: string): Promise<void> {
  await withStore(databaseUrl(), async (store) => {
    const { apiKeys, time } = store
    await rewrite(apiKeys, id, async (apiKey) => {
      if (!apiKey) throw new Failure(`There is no key ${id}; "keys list" shows all keys.`)
      const revokedAt = await time()
      if (hasEnded(apiKey, revokedAt)) return null
      const { organizationId, label } = apiKey
      const details = { label, endsAt: new Date(revokedAt).toISOString() }
      await appendAudit(store, { organizationId, verb: 'key.revoke', target: id, details })
      return { ...apiKey, revokedAt }
    })
    console.log(`${id} is revoked`)
  })
}
