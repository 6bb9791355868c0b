import type { MongoStore } from '../../adapters/mongo/mongo-store'
import type { Organization } from '../../domain/tenant/organization'
import { Failure } from '../terminal/failure'

/** Finds an organization by its slug or id. @throws {Failure} listing all organizations if there is no match. */
export async function findOrganization(
  { organizations }: Pick<MongoStore, 'organizations'>,
  name: string,
): Promise<Organization> {
  const all = await organizations.all()
  const organization = all.find(({ id, slug }) => id === name || slug === name)
  if (organization) return organization
  const slugs = all.map(({ slug }) => slug).join(', ') || 'none'
  throw new Failure(`There is no organization ${name}. The organizations are: ${slugs}.`)
}
