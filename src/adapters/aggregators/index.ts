import type { Aggregator } from '../../ports/aggregator'
import { type LifiConfig, lifi } from './lifi'
import { type RelayConfig, relay } from './relay'

/** A provider that is null or absent is not used. */
export type AggregatorConfig = { lifi: LifiConfig; relay?: RelayConfig | null }

/** The providers in order of preference: of equal offers the first wins. */
export const aggregators = (config: AggregatorConfig): Aggregator[] => [
  lifi(config.lifi),
  ...(config.relay ? [relay(config.relay)] : []),
]
