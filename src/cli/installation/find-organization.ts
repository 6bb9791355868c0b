import type { MongoStore } from '../../adapters/mongo/mongo-store'
import type { Organization } from '../../domain/tenant/organization'
import { Failure } from '../terminal/failure'

/** By slug or by id. @throws {Failure} naming those there are. */
export async function findOrganization(
  { organizations }: Pick<MongoStore, 'organizations'>,
  name: string,
): Promise<Organization> {
  const all = await organizations.all()
  const found = all.find(({ id, slug }) => id === name || slug === name)
  if (found) return found
  const there = all.map(({ slug }) => slug).join(', ') || 'none'
  throw new Failure(`No organization ${name}; there are ${there}.`)
}
