import { RoutingError } from '../../domain/error'

const blocksFirst = 200
const blocksMax = 10_000
const logsWanted = 5_000

/** Decides how many blocks to ask for at once: half as many when a node refuses, and more when there are few logs. */
export function rangeSize() {
  let blocks = blocksFirst
  return {
    get blocks() {
      return blocks
    },
    worked(logs: number): void {
      const factor = Math.min(2, Math.max(0.5, logsWanted / Math.max(logs, 1)))
      blocks = Math.min(blocksMax, Math.max(1, Math.floor(blocks * factor)))
    },
    /** @returns Whether a smaller request is worth making, which it is not when the node cannot be reached. */
    refused(error: unknown): boolean {
      if (!(error instanceof RoutingError) || blocks === 1) return false
      if (error.code !== 'RPC_FAILED' && error.code !== 'RPC_TIMEOUT') return false
      blocks = Math.ceil(blocks / 2)
      return true
    },
  }
}
