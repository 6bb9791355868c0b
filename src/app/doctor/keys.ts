import { isKmsKey } from '../../adapters/keys/open-key'
import { ConfigError } from '../config/config'
import type { Loaded } from '../process/base'
import { type OpenKeys, openKeys } from '../process/open-keys'
import { about, type Finding } from './finding'

/** Findings about keys in a key management service, and all usable keys. */
type Keys = { findings: Finding[]; opened: OpenKeys }

const variables = {
  routeSigner: 'ROUTE_SIGNER_PRIVATE_KEY',
  relayers: 'RELAYER_PRIVATE_KEYS',
  receipt: 'RECEIPT_KEY',
} as const

/**
 * Opens this process's keys as the start does, and makes one test signature with each key in a key management service.
 */
export async function keysOf({ config, keys }: Loaded): Promise<Keys> {
  const found: Keys = { findings: [], opened: { routeSigner: null, relayers: null, receipt: null } }
  for (const which of ['routeSigner', 'relayers', 'receipt'] as const) {
    const isElsewhere = [keys[which] ?? []].flat().some(isKmsKey)
    const line = about('key', variables[which])
    const only = { ...keys, routeSigner: null, relayers: null, receipt: null, [which]: keys[which] }
    try {
      const opened = (await openKeys({ config, keys: only }))[which]
      found.opened = { ...found.opened, [which]: opened }
      const addresses = [opened ?? []].flat().map(({ address }) => address)
      if (isElsewhere) found.findings.push(line.good(`It signs as ${addresses.join(', ')}.`))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      const advice = 'See “Keys in AWS KMS or Google Cloud KMS” in docs/operations/kms.md: nothing would be signed.'
      found.findings.push(line.bad(error.message, advice))
    }
  }
  return found
}
