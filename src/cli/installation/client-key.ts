import type { MongoStore } from '../../adapters/mongo/mongo-store'
import { apiKeyDigest } from '../../domain/tenant/api-key-format'
import { type SeededKeys, seededKeyLabels } from '../demo/seed'
import { Failure } from '../terminal/failure'
import { findOrganization } from './find-organization'

type Store = Pick<MongoStore, 'organizations' | 'apiKeys'>
type Env = Record<string, string | undefined>
type ClientKey = { key: string; organization: string }

/**
 * Returns the CLIENT key for deposits: SWITCHYARD_API_KEY, the demo's own key of the named organization, or the key of
 * `sandbox`. No other key's text is stored, so it must be given.
 */
export async function clientKey(
  store: Store,
  seeded: SeededKeys,
  named: string | undefined,
  env: Env = process.env,
): Promise<ClientKey> {
  const givenKey = env['SWITCHYARD_API_KEY']
  const wanted = named === undefined ? null : (await findOrganization(store, named)).slug
  if (!givenKey) return seededKey(seeded, wanted ?? 'sandbox')
  const apiKey = await store.apiKeys.findByDigest(apiKeyDigest(givenKey))
  if (!apiKey || apiKey.revokedAt !== null)
    throw new Failure('SWITCHYARD_API_KEY is not a key of the demo that runs here, or it is revoked.')
  if (apiKey.role !== 'CLIENT')
    throw new Failure(`SWITCHYARD_API_KEY is an ${apiKey.role} key, but a deposit needs a CLIENT key.`)
  const { slug } = (await store.organizations.load(apiKey.organizationId))!
  if (wanted !== null && wanted !== slug)
    throw new Failure(
      `SWITCHYARD_API_KEY is a key of ${slug}, not of ${wanted}: leave out --organization, or set the key of ${wanted}.`,
    )
  return { key: givenKey, organization: slug }
}

function seededKey(seeded: SeededKeys, organization: string): ClientKey {
  const label = seededKeyLabels('CLIENT')[organization]
  if (label) return { key: seeded[label], organization }
  throw new Failure(
    `The texts of the keys of ${organization} are not stored: create a key with "npx switchyard keys create ` +
      `--organization ${organization}" and set SWITCHYARD_API_KEY to it.`,
  )
}
