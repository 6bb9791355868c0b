import type { ChainId } from '../../domain/chain/chain'
import type { Address, Hash } from '../../domain/chain/hex'
import type { Execution, Facts } from '../../domain/execution/execution'
import { defaultPolicy } from '../../domain/execution/route'
import { isTerminal } from '../../domain/execution/status'
import { amountOf } from '../../domain/money/amount'
import type { Arrived, Chains } from '../../ports/chain-client'
import type { Deliveries, DeliveryClaim, Executions } from '../../ports/executions'
import type { StepOutcome } from '../engine/step'
import { type Brought, broughtBy, failed } from './evidence'
import type { QuorumCheck } from './quorum-check'

export type ClaimPorts = { deliveries: Deliveries; executions: Pick<Executions, 'load'> }

type Part = Arrived['parts'][number]
type Wanted = {
  chainId: ChainId
  hash: Hash
  executionId: string
  leastRaw: bigint
  /** Where no transfer is large enough, the largest is claimed. */
  orLess?: boolean
}
/** `lostTo`: the executions that had claimed what is large enough. */
type Claimed = { amountRaw: bigint } | { lostTo: string[] }

/**
 * Claims the transfer of a transaction that delivers an execution. A transfer is evidence for one execution only: the
 * first to claim it has it, and may ask again. A batch may pay one recipient several times. Of the transfers that are
 * large enough the smallest is ours. Two transfers are never added up, because they may be owed to two executions. A
 * claim passes to another execution when its holder has ended by another transaction, or with less than its minimum.
 */
export async function claimDelivery(parts: readonly Part[], wanted: Wanted, ports: ClaimPorts): Promise<Claimed> {
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

/** Claims a transfer. Returns who had claimed it before; null when it is ours now. */
async function claimedBefore(part: Part, wanted: Wanted, { deliveries, executions }: ClaimPorts) {
  const { chainId, executionId, leastRaw, hash } = wanted
  const id = `${chainId}:${part.place}`
  if (await deliveries.save({ id, version: 0, executionId })) return null
  const claim = (await deliveries.load(id))!
  if (claim.executionId === executionId) return null
  const holder = await executions.load(claim.executionId)
  const isBinding = !holder || !isTerminal(holder.state) || endedBy(holder, hash, part.amountRaw >= leastRaw)
  if (isBinding) return claim.executionId
  const ours: DeliveryClaim = { ...claim, executionId }
  return (await deliveries.save(ours)) ? null : claim.executionId
}

/** Whether an execution ended by a transaction. One that got too little gives way to one that gets enough. */
const endedBy = ({ state, facts: { delivery, returned } }: Execution, hash: Hash, isEnough: boolean): boolean =>
  returned?.hash === hash || (delivery?.hash === hash && (state === 'SUCCESS' || !isEnough))

type Ports = ClaimPorts & {
  chains: Chains
  secondOpinion?: QuorumCheck
  now: () => number
  /** The transaction by which a provider says that it delivered an execution; null while it names none. */
  namedFor?: (execution: Execution) => Promise<Hash | null>
}

/** How far the clocks of two chains and ours may be apart. */
const clockSkewMs = 5 * 60_000

/** Whether a transaction brought the account anything that did not come back to another execution. */
export async function cameBack(hash: Hash, execution: Execution, ports: Ports): Promise<boolean> {
  const { id, deposit, facts } = execution
  const { chainId, token, account } = deposit
  const brought = await seconded(hash, token, account, { execution, chainId }, ports)
  // What arrived before the money left has not come back. The deposit itself would otherwise count as its own refund.
  if (!brought || brought.block < facts.spent!.block) return false
  const claimed = await claimDelivery(brought.parts, { chainId, hash, executionId: id, leastRaw: 1n }, ports)
  return 'amountRaw' in claimed
}

type About = { execution: Execution; chainId: ChainId; isOnly?: boolean }

/**
 * Returns what a transaction brought, in the token or else in any other; null while the chain shows nothing, or a
 * second node shows something else.
 *
 * @param isOnly whether no other token counts.
 */
async function seconded(hash: Hash, token: Address, to: Address, about: About, ports: Ports): Promise<Brought | null> {
  const { execution, chainId, isOnly = false } = about
  const chain = ports.chains[chainId]
  const brought = isOnly
    ? await chain.arrived(hash, token, to).then((arrived) => arrived && { token, ...arrived })
    : await broughtBy(chain, hash, token, to)
  if (!brought) return null
  const second = await ports.secondOpinion?.(execution, chainId)
  return second && (await second.arrived(hash, brought.token, to))?.amountRaw !== brought.amountRaw ? null : brought
}

/**
 * Returns what the destination chain shows of a delivery; null while it shows nothing. Less than the minimum, or
 * another token, ends nothing while the provider calls it delivered, because it may have named another's transaction.
 * If it names no other for as long as a route may take, that is the delivery.
 *
 * @param isSure whether the provider itself says that it delivered otherwise, or the chain names the transaction.
 */
export async function shown(
  hash: Hash,
  execution: Execution,
  ports: Ports,
  isSure = false,
): Promise<StepOutcome | { facts: Facts } | null> {
  const { order, route, intent, policy = defaultPolicy, tooLittle } = execution.facts
  const { targetChainId: chainId, targetTokenAddress: token, targetAddress: recipient } = intent!
  const isOurs = route!.kind !== 'BRIDGE' // only our own transaction can have brought it
  const brought = await seconded(hash, token, recipient, { execution, chainId, isOnly: isOurs }, ports)
  if (!brought) return null
  // A transfer from before the quote cannot be its delivery.
  if (!isOurs && brought.time * 1_000 < route!.quotedAt - clockSkewMs) return null
  const leastRaw = amountOf(order!.intent.minOut)
  const isWanted = brought.token === token
  const since = tooLittle?.hash === hash ? tooLittle.since : ports.now()
  const isLast = isSure || ports.now() - since >= policy.maxDurationSeconds * 1_000
  const isLittle = !isWanted || brought.parts.every((part) => part.amountRaw < leastRaw)
  if (!isOurs && isLittle && !isLast) return tooLittle?.hash === hash ? null : { facts: { tooLittle: { hash, since } } }
  const wanted = { chainId, hash, executionId: execution.id }
  const least = isOurs ? brought.amountRaw : isWanted ? leastRaw : 1n
  const claimed = await claimDelivery(brought.parts, { ...wanted, leastRaw: least, orLess: isOurs || isLast }, ports)
  if (!isOurs && 'lostTo' in claimed) return exchanged(hash, execution, claimed.lostTo, ports)
  const amountRaw = isOurs || 'lostTo' in claimed ? brought.amountRaw : claimed.amountRaw
  const delivery = { hash, chainId, token: brought.token, amountRaw: String(amountRaw), block: brought.block }
  const isEnough = isWanted && amountRaw >= leastRaw
  return isEnough ? { type: 'funds delivered', facts: { delivery } } : failed('PARTIAL_DELIVERY', { delivery })
}

/**
 * The provider may once have named this execution's transaction for another one that was owed as much by the same
 * recipient, and that one has ended by it. What was meant for that one then is this one's, if it is enough.
 */
async function exchanged(hash: Hash, execution: Execution, lostTo: readonly string[], ports: Ports) {
  const { namedFor, ...rest } = ports
  for (const id of namedFor ? lostTo : []) {
    const other = await ports.executions.load(id)
    if (!other || !isOwedAlike(execution, other)) continue
    const named = await namedFor!(other)
    if (named !== null && named !== hash) return shown(named, execution, rest)
  }
  return null
}

const isOwedAlike = ({ facts: { intent } }: Execution, { state, facts }: Execution): boolean =>
  state === 'SUCCESS' &&
  facts.route?.kind === 'BRIDGE' &&
  facts.intent?.targetChainId === intent!.targetChainId &&
  facts.intent.targetTokenAddress === intent!.targetTokenAddress &&
  facts.intent.targetAddress === intent!.targetAddress
