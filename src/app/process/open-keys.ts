import { KeyFailure } from '../../adapters/keys/key-failure'
import { openKey } from '../../adapters/keys/open-key'
import type { SigningKey } from '../../ports/signer'
import { ConfigError } from '../config/config'
import type { Loaded } from './base'

/** This process's signing keys, ready for use. Null for keys it does not have. */
export type OpenKeys = { routeSigner: SigningKey | null; relayers: SigningKey[] | null; receipt: SigningKey | null }

/**
 * Opens the keys of this process. Some may be held by a key management service.
 *
 * @throws {ConfigError} naming the variable of an unusable key.
 */
export async function openKeys({ config, keys }: Pick<Loaded, 'config' | 'keys'>): Promise<OpenKeys> {
  const opened = (variable: string, sources: typeof keys.relayers) =>
    sources &&
    Promise.all(sources.map((source) => openKey(source, config))).catch((error) => {
      throw error instanceof KeyFailure ? new ConfigError(`${variable}: a key ${error.message}.`) : error
    })
  const [own, relayers, receipt] = await Promise.all([
    opened('ROUTE_SIGNER_PRIVATE_KEY', keys.routeSigner && [keys.routeSigner]),
    opened('RELAYER_PRIVATE_KEYS', keys.relayers),
    opened('RECEIPT_KEY', keys.receipt && [keys.receipt]),
  ])
  return { routeSigner: own?.[0] ?? null, relayers, receipt: receipt?.[0] ?? null }
}
