import type { Organization } from '../../domain/organization'
import { databaseUrl, withStore } from '../database'
import { Failure } from '../failure'
import { table } from '../table'
import { newOrganization } from '../tenants'

export type OrganizationOptions = { slug: string; name?: string; plan: Organization['plan']; platform: boolean }

export async function createOrganization({ slug, name = slug, plan, platform }: OrganizationOptions): Promise<void> {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(slug))
    throw new Failure('The slug must be 1 to 40 lower case letters, digits and hyphens.')
  await withStore(databaseUrl(), async (store) => {
    await store.ensureIndexes()
    const all = await store.organizations.all()
    if (all.some((each) => each.slug === slug)) throw new Failure(`There is an organization ${slug} already.`)
    const wish = { slug, name, plan, isPlatform: platform }
    const made = await store.organizations.save(newOrganization(wish, await store.time()))
    console.log(`organization ${made!.slug}: ${made!.id}`)
  })
}

export async function listOrganizations(): Promise<void> {
  const all = await withStore(databaseUrl(), ({ organizations }) => organizations.all())
  const rows = all.map((each) => [each.slug, each.id, each.name, each.plan, each.isPlatform ? 'platform' : ''])
  console.log(table(['slug', 'id', 'name', 'plan', ''], rows))
}
