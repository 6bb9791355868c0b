import type { MongoStore } from '../../adapters/mongo/mongo-store'
import { apiKeyDigest } from '../../domain/tenant/api-key-format'
import { type SeededKeys, seededKeyLabels } from '../demo/seed'
import { Failure } from '../terminal/failure'
import { findOrganization } from './find-organization'

type Store = Pick<MongoStore, 'organizations' | 'apiKeys'>
type Env = Record<string, string | undefined>
export type ClientKey = { key: string; organization: string }

/**
 * Whose deposits these are: the organization of SWITCHYARD_API_KEY, or the one that is named, if the demo made a key of
 * it; else `sandbox`. A key's text is kept nowhere else.
 */
export async function clientKey(
  store: Store,
  seeded: SeededKeys,
  named: string | undefined,
  env: Env = process.env,
): Promise<ClientKey> {
  const given = env['SWITCHYARD_API_KEY']
  const wanted = named === undefined ? null : (await findOrganization(store, named)).slug
  if (!given) return seededKey(seeded, wanted ?? 'sandbox')
  const apiKey = await store.apiKeys.findByDigest(apiKeyDigest(given))
  if (!apiKey || apiKey.revokedAt !== null)
    throw new Failure('SWITCHYARD_API_KEY is no key of the demo that runs here, or is revoked.')
  if (apiKey.role !== 'CLIENT')
    throw new Failure(`SWITCHYARD_API_KEY is an ${apiKey.role} key: deposits are a CLIENT key’s.`)
  const { slug } = (await store.organizations.load(apiKey.organizationId))!
  if (wanted !== null && wanted !== slug)
    throw new Failure(`SWITCHYARD_API_KEY is a key of ${slug}, not of ${wanted}: name one or the other.`)
  return { key: given, organization: slug }
}

function seededKey(seeded: SeededKeys, organization: string): ClientKey {
  const label = seededKeyLabels('CLIENT')[organization]
  if (label) return { key: seeded[label], organization }
  throw new Failure(
    `The texts of the keys of ${organization} are kept nowhere: make one with "npx switchyard keys create ` +
      `--organization ${organization}" and set SWITCHYARD_API_KEY to it.`,
  )
}
