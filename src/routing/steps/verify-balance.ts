import { amountOf, sumOf } from '../../domain/amount'
import type { ChainId } from '../../domain/chain'
import { RoutingError } from '../../domain/error'
import type { Reserved } from '../../domain/execution'
import { pollMs as rarer } from '../../domain/retry'
import type { Chains } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import type { Step } from '../advance'
import type { SecondOpinion } from '../second-opinion'
import { waitedMs } from '../waited-ms'

type Ports = {
  chains: Chains
  executions: Executions
  scannedTo: (chainId: ChainId) => Promise<number>
  pollMs: (chainId: ChainId) => number
  /** Another node, for what is worth it. */
  secondOpinion?: SecondOpinion
  now: () => number
}

/**
 * What this deposit may spend: the balance at a confirmed block less what the lane's other deposits brought.
 * The block is one up to which every deposit is recorded, and not before an earlier holder's move.
 *
 * @throws {RoutingError} BALANCE_TOO_LOW when that is less than what the deposit brought.
 */
export const verifyBalance =
  ({ chains, executions, scannedTo, pollMs, secondOpinion, now }: Ports): Step =>
  async (execution) => {
    const { id, deposit, facts, redriveOf } = execution
    const { chainId, lane, token, account, amountRaw } = deposit
    const [confirmed, scanned] = await Promise.all([chains[chainId].confirmed(), scannedTo(chainId)])
    const block = Math.min(confirmed.number, scanned)
    const askAgainInMs = rarer(waitedMs(execution, 'BLOCK', now), pollMs(chainId))
    if (block < Math.max(deposit.block, facts.laneClearFrom ?? 0)) return { askAgainInMs, waitingFor: 'BLOCK' }

    const unspent = await executions.unspentIn(lane)
    const balance = await chains[chainId].balanceOf(token, account, block)
    const second = await secondOpinion?.(execution)
    if (second && (await second.balanceOf(token, account, block)) !== balance)
      throw new RoutingError('RPC_FAILED', { cause: new Error('Two nodes disagree on a balance') })
    const there = unspent.filter((one) => one.deposit.block <= block)
    const isExplained = redriveOf !== null || balance <= sumOf(there.map((one) => amountOf(one.deposit.amountRaw)))
    const recorded = isExplained ? balance : await recordedIn(lane, block, unspent)
    if (recorded === null) return { askAgainInMs, waitingFor: 'BLOCK' }
    const unrecorded = balance - recorded
    const held = unrecorded > 0n ? recorded : balance
    const others = there.filter((other) => other.id !== id)
    const totalReceivedRaw = held - sumOf(others.map((other) => amountOf(other.deposit.amountRaw)))
    if (totalReceivedRaw < amountOf(amountRaw)) throw new RoutingError('BALANCE_TOO_LOW')
    return { type: 'balance verified', facts: { balance: { totalReceivedRaw: String(totalReceivedRaw), block } } }

    /**
     * What no record explains is not taken along: money that left no log becomes a deposit of its own when the sweep
     * finds it, and what a node only says is there is not there. Residue of what failed is explained.
     * Null when it recorded something while we read: the answers are of two moments.
     */
    async function recordedIn(lane: string, block: number, unspent: Reserved[]): Promise<bigint | null> {
      const { broughtRaw, spentRaw } = await executions.bookOf(lane, block)
      const known = new Set(unspent.map((other) => other.id))
      const isSame = (await executions.unspentIn(lane)).every((other) => known.has(other.id))
      return isSame ? broughtRaw - spentRaw : null
    }
  }
