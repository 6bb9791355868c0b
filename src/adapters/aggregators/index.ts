import type { Aggregator } from '../../ports/aggregator'
import { type LifiConfig, lifi } from './lifi'

export type AggregatorConfig = { lifi: LifiConfig }

/** THE list. Of equal offers the first wins. */
export const aggregators = (config: AggregatorConfig): Aggregator[] => [lifi(config.lifi)]
