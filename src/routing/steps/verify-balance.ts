import type { ChainId } from '../../domain/chain/chain'
import { RoutingError } from '../../domain/error'
import type { Reserved } from '../../domain/execution/execution'
import { pollMs as rarer } from '../../domain/execution/retry'
import { amountOf, sumOf } from '../../domain/money/amount'
import type { Chains } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import type { QuorumCheck } from '../delivery/quorum-check'
import type { Step, StepOutcome } from '../engine/step'
import { waitedMs } from '../engine/waited-ms'

type Ports = {
  chains: Chains
  executions: Executions
  scannedTo: (chainId: ChainId) => Promise<number>
  pollMs: (chainId: ChainId) => number
  /** Another node, for what is worth it. */
  secondOpinion?: QuorumCheck
  now: () => number
}

/** One answer of one node is no proof that money is not there: it has to stay away for so many polls of its chain. */
const patiencePolls = 30

/**
 * What this deposit may spend: the balance at a confirmed block less what the lane's other deposits brought.
 * The block is one up to which every deposit is recorded, and not before an earlier holder's move.
 *
 * @throws {RoutingError} BALANCE_TOO_LOW when that stays less than what the deposit brought, whichever node is asked.
 */
export const verifyBalance = (ports: Ports): Step => {
  const { chains, executions, scannedTo, pollMs, secondOpinion, now } = ports
  return async (execution) => {
    const { id, deposit, facts } = execution
    const { chainId, lane, token, account, amountRaw } = deposit
    const [confirmed, scanned] = await Promise.all([chains[chainId].confirmed(), scannedTo(chainId)])
    const block = Math.min(confirmed.number, scanned)
    const wait: StepOutcome = {
      askAgainInMs: rarer(waitedMs(execution, 'BLOCK', now), pollMs(chainId)),
      waitingFor: 'BLOCK',
    }
    if (block < Math.max(deposit.block, facts.laneClearFrom ?? 0)) return wait

    const unspent = await executions.unspentIn(lane)
    const balance = await chains[chainId].balanceOf(token, account, block)
    const there = unspent.filter((one) => one.deposit.block <= block)
    const isExplained = balance <= sumOf(there.map((one) => amountOf(one.deposit.amountRaw)))
    const recorded = isExplained ? balance : await recordedIn(lane, block, unspent)
    if (recorded === null) return wait
    const held = recorded < balance ? recorded : balance
    const others = there.filter((other) => other.id !== id)
    const totalReceivedRaw = held - sumOf(others.map((other) => amountOf(other.deposit.amountRaw)))
    if (totalReceivedRaw < amountOf(amountRaw)) {
      const lowSince = facts.lowSince ?? now()
      const isPatient = now() - lowSince < patiencePolls * pollMs(chainId)
      if (isPatient || !(await isSeconded(balance, block))) return { ...wait, facts: { lowSince } }
      throw new RoutingError('BALANCE_TOO_LOW')
    }
    const second = await secondOpinion?.(execution)
    if (second && (await second.balanceOf(token, account, block)) !== balance)
      throw new RoutingError('RPC_FAILED', { cause: new Error('Two nodes disagree on a balance') })
    const seen = {
      ...(facts.lowSince && { lowSince: null }),
      balance: { totalReceivedRaw: String(totalReceivedRaw), block },
    }
    return { type: 'balance verified', facts: seen }

    /** That money is not there is true when every node that can be asked says so, however little it is. */
    async function isSeconded(balance: bigint, block: number): Promise<boolean> {
      const { second } = chains[chainId]
      const said = second ? await second.balanceOf(token, account, block).catch(() => null) : balance
      return said === balance
    }
  }

  /**
   * What no record explains is not taken along: money that left no log becomes a deposit of its own when the sweep
   * finds it, and what a node only says is there is not there. Residue of what failed is explained.
   * Null when it recorded something while we read: the answers are of two moments.
   */
  async function recordedIn(lane: string, block: number, unspent: Reserved[]): Promise<bigint | null> {
    const book = await executions.bookOf(lane, block)
    const known = new Set(unspent.map((other) => other.id))
    const isSame = (await executions.unspentIn(lane)).every((other) => known.has(other.id))
    return book && isSame ? book.broughtRaw - book.spentRaw : null
  }
}
