import type { ChainId } from '../domain/chain/chain'
import type { Execution } from '../domain/execution/execution'
import type { Telemetry } from './telemetry'

/** What detection tells of what it finds, each once, by whoever was first. */
export type DepositNews = {
  /** The first sight of a deposit. */
  onSeen?: ((id: string, chainId: ChainId) => void) | undefined
  /** It is confirmed, and the record of its execution is stored. */
  onBegun?: ((execution: Execution) => void) | undefined
  telemetry: Telemetry
}
