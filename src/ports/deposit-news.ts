import type { ChainId } from '../domain/chain/chain'
import type { Execution } from '../domain/execution/execution'
import type { Telemetry } from './telemetry'

/** What detection reports of the deposits that it finds, once each, by the process that was first. */
export type DepositNews = {
  /** A deposit was seen for the first time. */
  onSeen?: ((id: string, chainId: ChainId) => void) | undefined
  /** It was confirmed, and the record of its execution is stored. */
  onBegun?: ((execution: Execution) => void) | undefined
  telemetry?: Telemetry | undefined
}
