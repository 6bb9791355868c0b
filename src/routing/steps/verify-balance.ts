import type { ChainId } from '../../domain/chain/chain'
import { RoutingError } from '../../domain/error'
import type { ReservedMoney } from '../../domain/execution/execution'
import { idsThatFit, successorOf } from '../../domain/execution/lane'
import { pollMs as rarer, waitedMs } from '../../domain/execution/retry'
import { amountOf, arrivedRawOf, shareOf, sumOf } from '../../domain/money/amount'
import { nodesDiffer } from '../../domain/unavailable'
import type { Chains } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import type { Blacklist } from '../../ports/tenants'
import type { QuorumCheck } from '../delivery/evidence'
import { claimRawOf, countedApart, residueAt } from '../engine/residue'
import type { Step, StepOutcome } from '../engine/step'

type Ports = {
  chains: Chains
  executions: Executions
  blacklist: Blacklist
  scannedTo: (chainId: ChainId) => Promise<number>
  pollMs: (chainId: ChainId) => number
  /** A second node, if the value of the moved money requires one. */
  secondOpinion?: QuorumCheck | undefined
  now: () => number
}

/** `residue`: the ended records whose money is included. */
type Verified = { balance: bigint; totalReceivedRaw: bigint; residue: string[] }
/** `totalReceivedRaw` is null while the account holds less than the deposit brought. */
type BalanceReading = Verified | { balance: bigint; totalReceivedRaw: null }

/** Money must be missing for this many polls of the chain. One response of one node does not prove it. */
const patiencePolls = 30

/**
 * Determines how much this deposit may spend. That is the balance at a confirmed block, less the amounts of the lane's
 * other deposits and the leftovers whose payers are now on the security list. A deposit that is short only by rounding
 * is routed with the amount present. At that block every deposit is recorded, and every transfer of an earlier holder
 * is visible.
 */
export const verifyBalance = (ports: Ports): Step => {
  const { chains, executions, scannedTo, pollMs, secondOpinion, now } = ports
  return async (execution) => {
    const { id, deposit, facts } = execution
    const { chainId, lane, token, account, amountRaw } = deposit
    // Its money has left with another deposit, so whatever is in the account belongs to others.
    if (successorOf(execution)?.by === 'takenBy') throw new RoutingError('BALANCE_TOO_LOW')
    const scanned = await scannedTo(chainId)
    const leastBlock = Math.max(deposit.block, facts.laneClearFrom ?? 0)
    const wait: StepOutcome = {
      retryInMs: rarer(waitedMs(execution, 'BLOCK', now), pollMs(chainId)),
      waitingFor: 'BLOCK',
    }
    if (scanned < leastBlock) return wait
    // Another process may have scanned that far with a node that is ahead of ours. Read a block that our node has.
    const confirmed = await chains[chainId].confirmedNumber(Number.MAX_SAFE_INTEGER)
    const seen = scanned <= confirmed ? await readAt(scanned) : null
    if (seen && seen.totalReceivedRaw !== null) return verified(seen, scanned)
    const block = Math.min(await chains[chainId].confirmedNumber(), scanned)
    if (block < leastBlock) return wait
    const read = seen && block === scanned ? seen : await readAt(block)
    if (!read) return wait
    if (read.totalReceivedRaw !== null) return verified(read, block)
    const lowSince = facts.lowSince ?? now()
    const mayWait = now() - lowSince < patiencePolls * pollMs(chainId)
    if (mayWait || !(await isSeconded(read.balance, block))) return { ...wait, facts: { lowSince } }
    await chains[chainId].assureChain()
    throw new RoutingError('BALANCE_TOO_LOW')

    /** The account's balance at a block, and this deposit's part of it. Null while that part is undecided. */
    async function readAt(block: number): Promise<BalanceReading | null> {
      const unspent = await executions.unspentIn(lane)
      const balance = await chains[chainId].balanceOf(token, account, block)
      const there = unspent.filter((one) => one.deposit.block <= block)
      const isExplained = balance <= sumOf(there.map(arrivedRawOf))
      const recorded = isExplained ? balance : await recordedIn(lane, block, unspent)
      if (recorded === null) return null
      const held = recorded < balance ? recorded : balance
      const saidRaw = amountOf(amountRaw)
      const others = there.filter((other) => other.id !== id).map(arrivedRawOf)
      const freeRaw = shareOf(held, saidRaw, others)
      const isMore = freeRaw !== null && freeRaw > saidRaw
      const apart = countedApart(unspent, execution)
      const none = { along: [], stays: [], circled: [] }
      const { along, stays, circled } = isMore ? await residueAt(block, lane, apart, ports) : none
      const leftRaw = shareOf(held, saidRaw, [...others, ...stays.map(arrivedRawOf)])
      if (leftRaw === null) return { balance, totalReceivedRaw: null }
      // Circled money ended before anything showed that it arrived. It limits what is included, not the own amount.
      const uncircledRaw = leftRaw - sumOf(circled.map(arrivedRawOf))
      const residue = idsThatFit(along, uncircledRaw - saidRaw)
      const shareRaw = residue.length > 0 ? uncircledRaw : leftRaw
      // Records and leftovers are read one after the other. Money that no leftover names has another claim by now.
      const named = [{ ...execution, facts: {} }, ...along.filter((one) => residue.includes(one.id))]
      const namedRaw = sumOf(await Promise.all(named.map((one) => claimRawOf(one, executions))))
      return { balance, totalReceivedRaw: shareRaw < namedRaw ? shareRaw : namedRaw, residue }
    }

    async function verified({ balance, totalReceivedRaw, residue }: Verified, block: number): Promise<StepOutcome> {
      const isMore = totalReceivedRaw > amountOf(amountRaw)
      const newFacts = {
        ...(facts.lowSince && { lowSince: null }),
        balance: { totalReceivedRaw: String(totalReceivedRaw), block },
        ...((isMore || facts.residue) && { residue }),
      }
      const second = await secondOpinion?.({ deposit, facts: newFacts })
      if (second && (await second.balanceOf(token, account, block)) !== balance) throw nodesDiffer(chainId, 'a balance')
      return { type: 'balance verified', facts: newFacts }
    }

    /** Whether every reachable node agrees that the money is missing, even for a small amount. */
    async function isSeconded(balance: bigint, block: number): Promise<boolean> {
      const { second } = chains[chainId]
      const said = second ? await second.balanceOf(token, account, block).catch(() => null) : balance
      return said === balance
    }
  }

  /**
   * Returns the amount that the records of the lane explain, in atomic units. Money that no record explains is not
   * included. Money that left no log becomes a separate deposit once the sweep finds it, and an amount that only one
   * node reports does not count. Money left by failed executions is explained. Returns null if a record was stored
   * during the read, because the two results are then of different moments.
   */
  async function recordedIn(lane: string, block: number, unspent: ReservedMoney[]): Promise<bigint | null> {
    const book = await executions.ledgerOf(lane, block)
    const ids = new Set(unspent.map((other) => other.id))
    const isSame = (await executions.unspentIn(lane)).every((other) => ids.has(other.id))
    return book && isSame ? book.broughtRaw - book.spentRaw : null
  }
}
