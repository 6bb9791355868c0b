import type { SchedulerLike } from 'rxjs'
import { withHistoryEntry } from '../../../machines/execution'
import { type Hash, sameAddress } from '../../domain/chain/hex'
import { rewrite, withDeadline } from '../../domain/concurrency'
import type { Execution, Facts } from '../../domain/execution/execution'
import type { Chains, Arrival as TransactionArrival } from '../../ports/chain-client'
import type { Arrival, Refunds } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { Gate } from '../../ports/gate'
import type { StepOutcome } from '../engine/step'
import { claimDelivery, doubting, doubtMs, type EvidencePorts, namedSince, seconded } from './claims'
import { callOf, orderFailed, type TokenArrival } from './evidence'

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
  /** Whether two nodes show an arrival. Coin that only the balance shows must be in the account. */
  async function isSeconded({ id, chainId, account, token, amountRaw, txHash }: Arrival): Promise<boolean> {
    const { second } = chains[chainId]
    if (!second) return true
    if (txHash === null) return (await second.balanceOf(token, account, (await second.confirmed()).number)) >= amountRaw
    const arrived = await second.arrived(txHash, token, account)
    return arrived?.parts.some((part) => part.amountRaw === amountRaw && `${chainId}:${part.place}` === id) ?? false
  }

  /**
   * Whether a provider reports an arrival as a refund, or reports a refund without a transaction that it may be. Null
   * while a second node does not show the arrival, because a link is never undone.
   */
  async function isRefund(
    sent: Execution,
    arrival: Arrival,
    signal: AbortSignal,
  ): Promise<'NAMED' | 'UNNAMED' | 'NO' | null> {
    const { chainId, account, token, amountRaw, txHash } = arrival
    const { route, spent, intent, transactions = [] } = sent.facts
    const aggregator = aggregators.find(({ name }) => name === route?.provider)
    if (!aggregator || !intent) return 'NO'
    const about = { fromChainId: chainId, toChainId: intent.targetChainId, reference: route!.reference }
    // The money can be back before its departure is recorded.
    for (const { hash } of spent ? [spent] : transactions) {
      const outcome = await aggregator.outcome({ hash, ...about, ...callOf(sent, hash) }, signal)
      if (outcome.kind !== 'RETURNED') continue
      const { hash: named } = outcome
      const { [chainId]: chain } = chains
      if (named !== null && txHash === null) {
        const arrived = await (chain.second ?? chain).arrived(named, token, account)
        if (!arrived) return null
        return arrived.amountRaw === amountRaw ? 'NAMED' : 'NO'
      }
      if (named === null ? !isWhole(sent, arrival) : named !== txHash) return 'NO'
      if (!(await isSeconded(arrival).catch(() => false))) return null
      return named === null ? 'UNNAMED' : 'NAMED'
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

type RefundPorts = EvidencePorts & { executions: Pick<Executions, 'load'> }
/** Whether a provider reports an end of an execution that is not this transaction. */
type EndedOtherwise = (execution: Execution, hash: Hash) => Promise<boolean>

/**
 * Returns the end of an execution whose money came back; null while the chain shows nothing. The provider might have
 * named another execution's refund, or an ordinary deposit. So the execution ends once that deposit is recorded as its
 * own (`continuedBy`), or if the provider still names the transaction after the longest duration of a route. It also
 * ends if another execution ended by the refund although the provider now reports a different end for it.
 *
 * @param named Null if the provider reports a refund without a transaction. The recorded deposit then names it.
 */
export async function refundOutcome(
  named: Hash | null,
  execution: Execution,
  ports: RefundPorts,
  endedOtherwise: EndedOtherwise,
): Promise<StepOutcome | { facts: Facts } | null> {
  const { id, deposit, facts, continuedBy } = execution
  const { chainId, token, account } = deposit
  const since = namedSince(execution, named, ports.now)
  const back = named === null && continuedBy !== null ? await ports.executions.load(continuedBy) : null
  if (named === null && !back) return doubting(execution, null, since)
  const hash = named ?? back!.deposit.txHash
  // A deposit that only the balance shows names no transaction. Its own step verifies the balance.
  if (hash === null) return back!.facts.balance ? orderFailed('FUNDS_RETURNED', { returned: { hash: null } }) : null
  const about = { execution, chainId, isAlways: true }
  const arrival = await seconded(hash, back?.deposit.token ?? token, account, about, ports)
  // A transfer from before the money left is not a refund. Otherwise the deposit itself would count as its own refund.
  if (!arrival || arrival.block < facts.spent!.block) return null
  const recorded = await recordedParts(hash, execution, arrival, ports)
  if (recorded.length === 0 && ports.now() - since < doubtMs('RETURNED', execution))
    return doubting(execution, named, since)
  const [parts, recordedAs] = recorded.length > 0 ? [recorded, continuedBy] : [arrival.parts, null]
  const wanted = { chainId, hash, executionId: id, leastRaw: 1n, recordedAs }
  const first = await claimDelivery(parts, wanted, ports)
  const insteadOf = 'lostTo' in first ? await wronglyEnded(hash, first.lostTo, ports, endedOtherwise) : []
  const claimed = insteadOf.length > 0 ? await claimDelivery(parts, { ...wanted, insteadOf }, ports) : first
  return 'amountRaw' in claimed ? orderFailed('FUNDS_RETURNED', { returned: { hash } }) : null
}

type Part = TransactionArrival['parts'][number]

/** Returns the executions that ended by a refund although the provider now reports a different end. */
async function wronglyEnded(
  hash: Hash,
  ids: readonly string[],
  { executions }: Pick<RefundPorts, 'executions'>,
  endedOtherwise: EndedOtherwise,
): Promise<string[]> {
  const wrong: string[] = []
  for (const id of ids) {
    const other = await executions.load(id)
    if (other?.facts.returned?.hash === hash && (await endedOtherwise(other, hash))) wrong.push(id)
  }
  return wrong
}

/**
 * Returns the transfers of a transaction that are recorded as the deposit of an execution's returned money. A deposit
 * of native coin may name no transaction. Its amount was compared with the transaction's when it was recorded.
 */
async function recordedParts(
  hash: Hash,
  { continuedBy, deposit: { chainId } }: Execution,
  { token, amountRaw, parts }: TokenArrival,
  { executions }: Pick<RefundPorts, 'executions'>,
): Promise<readonly Part[]> {
  if (continuedBy === null) return []
  if (continuedBy.startsWith(`${chainId}:${hash}:`)) {
    const own = parts.filter(({ place }) => `${chainId}:${place}` === continuedBy)
    return own.length > 0 ? own : parts
  }
  const refund = (await executions.load(continuedBy))?.deposit
  const isSame = refund?.txHash === null && sameAddress(refund.token, token) && refund.amountRaw === String(amountRaw)
  return isSame ? parts : []
}
