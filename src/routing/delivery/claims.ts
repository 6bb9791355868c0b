import type { ChainId } from '../../domain/chain/chain'
import type { Address, Hash } from '../../domain/chain/hex'
import type { Execution, Facts } from '../../domain/execution/execution'
import { defaultPolicy } from '../../domain/execution/route'
import { isTerminal } from '../../domain/execution/status'
import { amountOf } from '../../domain/money/amount'
import type { Arrival, Chains } from '../../ports/chain-client'
import type { Deliveries, DeliveryClaim, Executions } from '../../ports/executions'
import type { BridgeOutcome } from '../../ports/gate'
import type { StepOutcome } from '../engine/step'
import { arrivalOf, orderFailed, type QuorumCheck, type TokenArrival } from './evidence'

export type ClaimPorts = { deliveries: Deliveries; executions: Pick<Executions, 'load'> }

type Part = Arrival['parts'][number]
type RequestedClaim = {
  chainId: ChainId
  hash: Hash
  executionId: string
  leastRaw: bigint
  /** Whether to claim the largest transfer if none is large enough. */
  orLess?: boolean
  /** Id of the deposit recorded for these transfers, if it is this execution's refund. */
  recordedAs?: string | null
  /** Executions whose claims do not count. */
  insteadOf?: readonly string[]
}
/** `lostTo`: the executions that had already claimed the transfers that are large enough. */
type ClaimResult = { amountRaw: bigint } | { lostTo: string[] }

/**
 * Claims the transfer that delivers an execution, among the transfers of one transaction. A transfer is evidence for
 * one execution only: the first to claim it gets it, and can repeat the claim. A batch may pay one recipient several
 * times. The smallest transfer that is large enough is ours. Two transfers are never added up, because they may be owed
 * to two executions. A claim passes to another execution in three cases. Its holder ended by another transaction. The
 * holder ended with less than its minimum, and the transfer is enough for the other. The transfer is recorded as the
 * other's refund.
 */
export async function claimDelivery(
  parts: readonly Part[],
  wanted: RequestedClaim,
  ports: ClaimPorts,
): Promise<ClaimResult> {
  const { leastRaw, orLess = false } = wanted
  const enough = parts.filter(({ amountRaw }) => amountRaw >= leastRaw).toSorted(byAmount)
  const less = orLess ? parts.filter(({ amountRaw }) => amountRaw < leastRaw).toSorted(byAmount) : []
  const lostTo: string[] = []
  for (const part of [...enough, ...less.toReversed()]) {
    const holder = await claimedBefore(part, wanted, ports)
    if (holder === null) return { amountRaw: part.amountRaw }
    if (part.amountRaw >= leastRaw) lostTo.push(holder)
  }
  return { lostTo }
}

const byAmount = (a: Part, b: Part): number => (a.amountRaw === b.amountRaw ? 0 : a.amountRaw < b.amountRaw ? -1 : 1)

/** Claims a transfer. Returns the id of the execution that already holds it; null if it is now ours. */
async function claimedBefore(part: Part, wanted: RequestedClaim, { deliveries, executions }: ClaimPorts) {
  const { chainId, executionId, insteadOf = [] } = wanted
  const id = `${chainId}:${part.place}`
  if (await deliveries.save({ id, version: 0, executionId })) return null
  const claim = (await deliveries.load(id))!
  if (claim.executionId === executionId) return null
  const holder = await executions.load(claim.executionId)
  const isFinal = holder && isTerminal(holder.state)
  const isBinding = !isFinal || (isEndOf(holder, part, wanted) && !insteadOf.includes(holder.id))
  if (isBinding) return claim.executionId
  const ours: DeliveryClaim = { ...claim, executionId }
  return (await deliveries.save(ours)) ? null : claim.executionId
}

/**
 * Whether an execution ended by a transfer and keeps it against another claim. A refund stays with the holder unless it
 * is recorded as the refund of the other execution alone. A delivery below the holder's minimum passes to a claim that
 * it satisfies.
 */
function isEndOf({ state, continuedBy, facts }: Execution, { amountRaw }: Part, wanted: RequestedClaim) {
  const { hash, leastRaw, recordedAs = null } = wanted
  const { delivery, returned } = facts
  if (returned?.hash === hash) return recordedAs === null || continuedBy === recordedAs
  return delivery?.hash === hash && (state === 'SUCCESS' || amountRaw < leastRaw)
}

export type EvidencePorts = ClaimPorts & {
  chains: Chains
  secondOpinion?: QuorumCheck | undefined
  now: () => number
}

/** Returns the transaction that a provider names as the delivery of an execution; null while it names none. */
type NamedFor = (execution: Execution) => Promise<Hash | null>

/** Greatest expected difference between the clocks of two chains and ours. */
const clockSkewMs = 5 * 60_000

/** Source of the transaction's role: the chain, or the provider's report. */
type Source = 'CHAIN' | Extract<BridgeOutcome['kind'], 'DELIVERED' | 'DELIVERED_OTHERWISE' | 'RETURNED'>

const correctedMs = 60_000

/**
 * Returns how long the provider must name a transaction before it ends an execution otherwise than as promised. If it
 * named another execution's transaction, it corrects this sooner. That takes up to a minute for an unusual delivery,
 * otherwise up to the longest duration of a route.
 */
export function doubtMs(source: Source, { facts: { policy = defaultPolicy } }: Execution): number {
  if (source === 'CHAIN') return 0
  return source === 'DELIVERED_OTHERWISE' ? correctedMs : Math.max(correctedMs, policy.maxDurationSeconds * 1_000)
}

/**
 * Returns the time since which the provider has named only this transaction. A null hash stands for a refund without a
 * transaction.
 */
export const namedSince = ({ facts: { doubted } }: Execution, hash: Hash | null, now: () => number): number =>
  doubted?.hash === hash ? doubted.since : now()

/** Returns the fact that a transaction is doubtful, or null if that is already stored. */
export function doubting(
  { facts: { doubted } }: Execution,
  hash: Hash | null,
  since: number,
  isTaken = false,
): { facts: Facts } | null {
  if (doubted?.hash === hash && (doubted.isTaken ?? false) === isTaken) return null
  return { facts: { doubted: { hash, since, ...(isTaken && { isTaken }) } } }
}

type About = { execution: Execution; chainId: ChainId; isOnly?: boolean; isAlways?: boolean }

/**
 * Returns what a transaction brought, in the token or else in any other token. Null while the chain shows nothing, or
 * while a second node shows another amount.
 *
 * @param isOnly Whether only this token counts.
 * @param isAlways Asks a second node for any amount, because the answer ends the deposit.
 */
export async function seconded(
  hash: Hash,
  token: Address,
  to: Address,
  about: About,
  ports: EvidencePorts,
): Promise<TokenArrival | null> {
  const { execution, chainId, isOnly = false, isAlways = false } = about
  const chain = ports.chains[chainId]
  const tokenArrival = isOnly
    ? await chain.arrived(hash, token, to).then((arrived) => arrived && { token, ...arrived })
    : await arrivalOf(chain, hash, token, to)
  if (!tokenArrival) return null
  const second = isAlways ? chain.second : await ports.secondOpinion?.(execution, chainId)
  return second && (await second.arrived(hash, tokenArrival.token, to))?.amountRaw !== tokenArrival.amountRaw
    ? null
    : tokenArrival
}

/**
 * Returns the delivery as the destination chain shows it; null while the chain shows nothing. Less than the minimum, or
 * another token, does not end the execution at first: the provider might have named another execution's transaction. If
 * it still names this transaction after the longest duration of a route, that transaction is the delivery. A minute is
 * enough if the provider itself reports a delivery other than the promised one.
 */
export async function deliveryOutcome(
  hash: Hash,
  execution: Execution,
  ports: EvidencePorts,
  source: Source,
  namedFor: NamedFor | null = null,
): Promise<StepOutcome | { facts: Facts } | null> {
  const { order, route, intent } = execution.facts
  const { targetChainId: chainId, targetTokenAddress: token, targetAddress: recipient } = intent!
  const isOurs = route!.kind !== 'BRIDGE' // only our own transaction can have brought it
  const tokenArrival = await seconded(hash, token, recipient, { execution, chainId, isOnly: isOurs }, ports)
  if (!tokenArrival) return null
  // A transfer from before the quote cannot be its delivery.
  if (!isOurs && tokenArrival.time * 1_000 < route!.quotedAt - clockSkewMs) return null
  const leastRaw = amountOf(order!.intent.minOut)
  const isWanted = tokenArrival.token === token
  const since = namedSince(execution, hash, ports.now)
  const isLast = ports.now() - since >= doubtMs(source, execution)
  const isLess = ({ parts, amountRaw: allRaw }: Arrival) =>
    isOurs ? allRaw < leastRaw : parts.every((part) => part.amountRaw < leastRaw)
  const isLittle = !isWanted || isLess(tokenArrival)
  if (!isOurs && isLittle && !isLast) return doubting(execution, hash, since)
  const { second } = ports.chains[chainId]
  const other = isLittle && second ? await second.arrived(hash, token, recipient) : tokenArrival
  if (!other || (isLittle && second && !isLess(other))) return null
  const wanted = { chainId, hash, executionId: execution.id }
  const least = isOurs ? tokenArrival.amountRaw : isWanted ? leastRaw : 1n
  const claimed = await claimDelivery(
    tokenArrival.parts,
    { ...wanted, leastRaw: least, orLess: isOurs || isLast },
    ports,
  )
  if (!isOurs && 'lostTo' in claimed) {
    const exchanged = await namedForHolder(hash, execution, claimed.lostTo, ports, namedFor)
    return exchanged
      ? deliveryOutcome(exchanged, execution, ports, 'DELIVERED')
      : doubting(execution, hash, since, true)
  }
  const amountRaw = isOurs || 'lostTo' in claimed ? tokenArrival.amountRaw : claimed.amountRaw
  const delivery = { hash, chainId, token: tokenArrival.token, amountRaw: String(amountRaw), block: tokenArrival.block }
  const isEnough = isWanted && amountRaw >= leastRaw
  return isEnough ? { type: 'funds delivered', facts: { delivery } } : orderFailed('PARTIAL_DELIVERY', { delivery })
}

/**
 * The provider may have swapped the transactions of two equal deliveries. Returns the transaction that it names for the
 * execution that claimed this one; null if it names none.
 */
async function namedForHolder(
  hash: Hash,
  execution: Execution,
  lostTo: readonly string[],
  ports: EvidencePorts,
  namedFor: NamedFor | null,
): Promise<Hash | null> {
  for (const id of namedFor ? lostTo : []) {
    const other = await ports.executions.load(id)
    if (!other || !isOwedAlike(execution, other)) continue
    const named = await namedFor!(other)
    if (named !== null && named !== hash) return named
  }
  return null
}

const isOwedAlike = ({ facts: { intent } }: Execution, { state, facts }: Execution): boolean =>
  state === 'SUCCESS' &&
  facts.route?.kind === 'BRIDGE' &&
  facts.intent?.targetChainId === intent!.targetChainId &&
  facts.intent.targetTokenAddress === intent!.targetTokenAddress &&
  facts.intent.targetAddress === intent!.targetAddress
