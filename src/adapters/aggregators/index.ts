import { type ProviderKey, providerKeys } from '../../domain/execution/provider'
import type { Aggregator } from '../../providers/aggregator'
import { type CctpConfig, cctp } from './cctp'
import { type LifiConfig, lifi } from './lifi'
import { type RelayConfig, relay } from './relay'

/** A provider that is null or absent is not used. */
export type AggregatorConfig = {
  lifi: LifiConfig | null
  relay?: RelayConfig | null
  cctp?: CctpConfig | null
}

const adapters: { [Key in ProviderKey]: (config: AggregatorConfig) => Aggregator<Key> | null } = {
  lifi: (config) => (config.lifi ? lifi(config.lifi) : null),
  relay: (config) => (config.relay ? relay(config.relay) : null),
  cctp: (config) => (config.cctp ? cctp(config.cctp) : null),
}

/** Returns the configured providers in the order of their table. The first of equal offers wins. */
export const aggregators = (config: AggregatorConfig): Aggregator<ProviderKey>[] =>
  providerKeys.flatMap((key) => adapters[key](config) ?? [])
