import type { SchedulerLike } from 'rxjs'
import { withHistoryEntry } from '../../../machines/execution'
import { rewrite, withDeadline } from '../../domain/concurrency'
import type { Execution } from '../../domain/execution/execution'
import type { Chains } from '../../ports/chain-client'
import type { Arrival, Refunds } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { Gate } from '../../ports/gate'
import { callOf } from './evidence'

type Ports = {
  executions: Pick<Executions, 'load' | 'save' | 'sentFrom'>
  aggregators: readonly Pick<Gate, 'name' | 'outcome'>[]
  chains: Chains
  now: () => number
  onTrouble: (error: unknown) => void
  scheduler?: SchedulerLike
}

/**
 * Whether an amount is all that the bridge received of an execution, in the token that was sent. The order also moved
 * the fees, but these did not go to the bridge.
 */
const isWhole = ({ deposit, facts: { route } }: Execution, { token, amountRaw }: Arrival): boolean =>
  token === deposit.token && String(amountRaw) === route?.amountIn

/** Time for all providers together to respond. The detector that found the money has other work. */
const answersMs = 3_000

/**
 * Recognises money that left an account by a bridge and came back. The provider names the transaction, and the chain
 * shows that it paid this account, possibly in another token than was sent. Unrecognised money is an ordinary deposit,
 * which costs its owner a fee but no money.
 */
export function refunds({ executions, aggregators, chains, now, onTrouble, scheduler }: Ports): Refunds {
  /** Whether a provider reports an arrival as a refund, or reports a refund without a transaction that it may be. */
  async function isRefund(sent: Execution, arrival: Arrival, signal: AbortSignal): Promise<'NAMED' | 'UNNAMED' | 'NO'> {
    const { chainId, account, token, amountRaw, txHash } = arrival
    const { route, spent, intent, transactions = [] } = sent.facts
    const aggregator = aggregators.find(({ name }) => name === route?.provider)
    if (!aggregator || !intent) return 'NO'
    const about = { fromChainId: chainId, toChainId: intent.targetChainId, reference: route!.reference }
    // The money can be back before its departure is recorded.
    for (const { hash } of spent ? [spent] : transactions) {
      const outcome = await aggregator.outcome({ hash, ...about, ...callOf(sent, hash) }, signal)
      if (outcome.kind !== 'RETURNED') continue
      if (outcome.hash === null) return isWhole(sent, arrival) ? 'UNNAMED' : 'NO'
      const isNamed =
        txHash === null
          ? (await chains[chainId].arrived(outcome.hash, token, account))?.amountRaw === amountRaw
          : outcome.hash === txHash
      return isNamed ? 'NAMED' : 'NO'
    }
    return 'NO'
  }

  /**
   * Claims the execution as the source of the refund. The first claim wins, so two deposits cannot both be the refund
   * of one execution.
   */
  async function link(sent: Execution, id: string): Promise<boolean> {
    const change = (record: Execution | null): Execution | null => {
      if (!record || record.continuedBy !== null) return null
      const { state, status } = record
      const entry = { at: now(), event: 'funds returned', from: state, to: state, status, note: null }
      return withHistoryEntry({ ...record, continuedBy: id }, entry)
    }
    return (await rewrite(executions, sent.id, change, { first: sent }))?.continuedBy === id
  }

  return {
    async claim(arrival) {
      const sentOut = await executions.sentFrom(arrival.account, arrival.chainId)
      const open = sentOut.filter(({ continuedBy }) => continuedBy === null || continuedBy === arrival.id)
      // A provider might name one execution's refund for another as well.
      const candidates = open.toSorted((a, b) => Number(isWhole(b, arrival)) - Number(isWhole(a, arrival)))
      const refundOf = ({ id, facts }: Execution) => ({ executionId: id, returns: (facts.returns ?? 0) + 1 })
      // The process that claimed it might have died before it updated the new execution.
      const claimed = candidates.find(({ continuedBy }) => continuedBy === arrival.id)
      if (claimed) return refundOf(claimed)
      const checkAll = (signal: AbortSignal) =>
        candidates.map((sent) =>
          isRefund(sent, arrival, signal).catch((error) => {
            onTrouble(error)
            return null
          }),
        )
      const answers = await withDeadline(answersMs, (signal) => Promise.all(checkAll(signal)), scheduler)
      for (const wanted of ['NAMED', 'UNNAMED'])
        for (const [n, sent] of candidates.entries())
          if (answers[n] === wanted && (await link(sent, arrival.id))) return refundOf(sent)
      return answers.includes(null) ? 'UNANSWERED' : null
    },
  }
}
