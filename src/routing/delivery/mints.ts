import type { Hash } from '../../domain/chain/hex'
import { carries, newest, type Relayer, type Slot, transactionOf } from '../../domain/chain/relayer'
import { RoutingError } from '../../domain/error'
import type { Execution, Facts, Minting, RelayerTransaction } from '../../domain/execution/execution'
import { type AttestedMint, attestedNow, mintOf } from '../../domain/execution/mint'
import { pollMs, slotPollMs } from '../../domain/execution/retry'
import type { BridgeOutcome } from '../../ports/gate'
import type { Limits } from '../../ports/limits'
import type { StepOutcome } from '../engine/step'
import { slotFor } from './relayer-nonces'
import { type RelayerPorts, sendStored, slotRequestOf } from './relayer-slots'

/** `chain` is the destination, where the mint is sent. */
type Ports = RelayerPorts & { limits: Pick<Limits, 'relayerShareOf'>; pollMs: number }

/** Number of transactions for one mint. After that, a failed one keeps its slot until the mint expires. */
const attemptsMax = 3

/** Time until the provider is queried again, to check that the attestation is still valid. */
const freshMs = 60_000

/** The relayer's slot for a mint, if it still exists. */
const slotOf = (record: Relayer | null, id: Hash) => record?.slots.findLast((slot) => carries(slot, id))

/**
 * The hashes of a slot's transactions for its mint. An expired slot also holds an empty transfer, which mints nothing.
 */
const hashesOf = (slot: Slot | undefined) => (slot?.order ? slot.hashes : [])

/**
 * All known transactions that ever carried the execution's mint, newest first. Includes transactions found only in the
 * relayer's record: a process that stores one there can be killed before it updates the execution. If the execution
 * lists none, the route's relayer is checked.
 */
async function sentOf(
  { id, transactions }: Minting,
  { facts: { order } }: Execution,
  { chain, relayers, relayerRecords }: Ports,
): Promise<RelayerTransaction[]> {
  const sender = transactions.at(-1)?.sender ?? relayers.forRoute(chain.chainId, order!.routeId).id
  const record = await relayerRecords.load(sender)
  const slot = slotOf(record, id)
  const recorded = new Set(transactions.map(({ hash }) => hash))
  const raised = hashesOf(slot).filter(({ hash }) => !recorded.has(hash))
  return [...transactions, ...raised.map((attempt) => transactionOf(attempt, slot!, record!.id))].toReversed()
}

/**
 * Finds the transaction that minted the burn of an execution. `hash` is that transaction, from any sender. It is null
 * if ours was sent a moment ago and no block contains it. Store `facts`: raised fees create transactions that are
 * recorded nowhere else. Returns null if the mint must be sent, or sent again.
 */
export async function mintedAlready(
  execution: Execution,
  ports: Ports,
): Promise<{ hash: Hash | null; isOurs: boolean; facts: Facts } | null> {
  const { mint } = execution.facts
  if (!mint) return null
  const { chain, now } = ports
  const sent = await sentOf(mint, execution, ports)
  const facts = { mint: { ...mint, transactions: sent.toReversed() } }
  for (const { hash } of sent) {
    const receipt = await chain.receipt(hash)
    if (receipt?.succeeded) return { hash, isOurs: true, facts }
  }
  const isFresh = mint.transactions.length > 0 && sent[0]!.at + freshMs > now()
  const hash = isFresh && (await isWaiting(mint.id, sent[0]!, ports)) ? null : await chain.mintedBy(mint.nonce)
  return hash || isFresh ? { hash, isOurs: false, facts } : null
}

/**
 * Finds the transaction that already minted a burn whose attestation just arrived. If it was ours, the process that
 * sent it was killed, and the data of the relayer's record is stored.
 */
export async function mintedBefore(
  attested: AttestedMint,
  execution: Execution,
  ports: Ports,
): Promise<{ hash: Hash; facts: Facts } | null> {
  const hash = await ports.chain.mintedBy(attested.nonce)
  if (!hash) return null
  const mint = attestedNow(attested, undefined, ports.now())
  const transactions = (await sentOf(mint, execution, ports)).toReversed()
  return { hash, facts: { mint: { ...mint, transactions } } }
}

type Pending = Extract<BridgeOutcome, { kind: 'PENDING' }>

/** The new delay that a provider reports; empty if its reason has not changed. */
export function delayIn(pending: Pending, { facts }: Execution): { facts?: Facts; historyEntry?: string } {
  const delay = pending.delay ?? null
  if (delay?.reason === facts.delay?.reason) return {}
  return { facts: { delay }, ...(delay && { historyEntry: 'delivery delayed' }) }
}

/** The stored state of a mint that the destination would refuse now, for example because Circle paused it there. */
export const refusedMint = (attested: AttestedMint, { facts }: Execution, { now }: Pick<Ports, 'now'>): Facts => ({
  mint: { ...attestedNow(attested, facts.mint, now()), refusedAt: now() },
})

/** The stored state of a mint whose attestation expired. It drops the call, which the chain would refuse. */
export function expiredMint({ facts: { mint } }: Execution): Facts {
  if (!mint) return {}
  const { call: _, ...rest } = mint
  return { mint: rest }
}

/** Whether the relayer has transaction bytes for a mint that no confirmed block contains. */
async function isWaiting(id: Hash, { sender }: RelayerTransaction, { relayerRecords }: Ports): Promise<boolean> {
  const slot = slotOf(await relayerRecords.load(sender), id)
  return slot !== undefined && newest(slot) !== undefined
}

/** Whether a block contains the relayer's transaction of a mint that has not expired. */
async function isInVain(id: Hash, { sender }: RelayerTransaction, { relayerRecords }: Ports): Promise<boolean> {
  const slot = slotOf(await relayerRecords.load(sender), id)
  return slot !== undefined && newest(slot) === undefined
}

/**
 * Mints with an attestation: stores the call under a nonce of our relayer on the destination chain, then sends it.
 * After that, `tend` re-sends it and raises its fee, as for an order. The chain mints each burn once, for any sender,
 * and pays only its recipient. A second call costs only gas.
 *
 * @throws {RoutingError} PROVIDER_MALFORMED if the call would not mint exactly what this execution's route burned.
 */
export async function sendMint(
  attested: AttestedMint,
  gas: bigint,
  execution: Execution,
  ports: Ports,
): Promise<StepOutcome> {
  const { organizationId, facts } = execution
  const { chain, now, limits, relayers } = ports
  const order = facts.order!
  const objection = relayers.mintObjection({ ...attested, chainId: chain.chainId }, order)
  if (objection) throw new RoutingError('PROVIDER_MALFORMED', { cause: new Error(`The mint ${objection}`) })
  const { time } = await chain.head()
  const before = attestedNow(attested, facts.mint, now())
  const sends = before.transactions.length
  // A mint that failed might have had too little gas.
  const enough = gas * BigInt(1 + Math.min(sends, attemptsMax))
  const mint = mintOf(attested, { chainId: chain.chainId, routeId: order.routeId, time, gas: enough })
  const retryInMs = pollMs(now() - before.attestedAt, ports.pollMs)
  const wait = { retryInMs, waitingFor: 'PROVIDER', facts: { mint: before } } as const
  // A re-attested burn needs a different call. Send it only when the previous call has no transaction under way.
  const last = before.transactions.at(-1)
  if (last && before.id !== mint.id && (await isWaiting(before.id, last, ports))) return wait
  if (sends >= attemptsMax && (await isInVain(mint.id, last!, ports))) return wait
  const request = slotRequestOf(execution, await limits.relayerShareOf(organizationId))
  const assigned = await slotFor(mint, ports, request)
  if (!assigned) return { ...wait, retryInMs: Math.max(retryInMs, slotPollMs), waitingFor: 'GAS' }
  const attempt = newest(assigned.slot)
  // The transaction was given up. The mint is sent again later.
  if (!attempt || !assigned.slot.order) return wait
  await sendStored(attempt.bytes, assigned.relayerId, ports)
  const isRecorded = before.transactions.some(({ hash }) => hash === attempt.hash)
  const transactions = isRecorded
    ? before.transactions
    : [...before.transactions, transactionOf(attempt, assigned.slot, assigned.relayerId)]
  const stored = { ...before, id: mint.id, transactions }
  return { ...wait, facts: { mint: stored }, ...(!isRecorded && { historyEntry: 'mint submitted' }) }
}
