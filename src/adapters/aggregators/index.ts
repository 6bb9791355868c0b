import type { Aggregator } from '../../ports/aggregator'
import { type LifiConfig, lifi } from './lifi'
import { type RelayConfig, relay } from './relay'

/** Null or absent: that one is not used. */
export type AggregatorConfig = { lifi: LifiConfig; relay?: RelayConfig | null }

/** THE list. Of equal offers the first wins. */
export const aggregators = (config: AggregatorConfig): Aggregator[] => [
  lifi(config.lifi),
  ...(config.relay ? [relay(config.relay)] : []),
]
