import type { Hash } from '../../domain/chain/hex'
import { carries, newest, type Relayer, type Slot, sentAs } from '../../domain/chain/relayer'
import { RoutingError } from '../../domain/error'
import type { Execution, Facts } from '../../domain/execution/execution'
import { type AttestedMint, attestedNow, mintOf } from '../../domain/execution/mint'
import type { Minting, Sent } from '../../domain/execution/minting'
import { pollMs, slotLookMs } from '../../domain/execution/retry'
import type { BridgeOutcome } from '../../ports/aggregator'
import type { Limits } from '../../ports/limits'
import type { StepOutcome } from '../engine/step'
import { slotFor } from './relayer-nonces'
import { type RelayerPorts, sendStored, slotRequestOf } from './relayer-slots'

/** `chain` is the destination, where the mint is sent. */
type Ports = RelayerPorts & { limits: Pick<Limits, 'relayerShareOf'>; pollMs: number }

/** After this long, the provider is asked whether the attestation is still good. */
const freshMs = 60_000

/** The relayer's slot for a mint, where it is kept still. */
const slotOf = (record: Relayer | null, id: Hash) => record?.slots.find((slot) => carries(slot, id))

/** The hashes of a slot's transactions for its mint. A void one also holds an empty transfer, which mints nothing. */
const hashesOf = (slot: Slot | undefined) => (slot?.order ? slot.hashes : [])

/**
 * All transactions that ever carried the execution's mint, the newest first, as far as they are known. One of which the
 * execution knows nothing was stored by a process that was killed then; its relayer is that of the route.
 */
async function sentOf(
  { id, transactions }: Minting,
  { facts: { order } }: Execution,
  { chain, relayers, relayerRecords }: Ports,
): Promise<Sent[]> {
  const sender = transactions.at(-1)?.sender ?? relayers.forRoute(chain.chainId, order!.routeId).id
  const record = await relayerRecords.load(sender)
  const slot = slotOf(record, id)
  const known = new Set(transactions.map(({ hash }) => hash))
  const raised = hashesOf(slot).filter(({ hash }) => !known.has(hash))
  return [...transactions, ...raised.map((attempt) => sentAs(attempt, slot!, record!.id))].toReversed()
}

/**
 * Looks for the transaction that minted what an execution burnt. `hash` is that transaction, ours or anybody's, and
 * null while one of ours was sent a moment ago and no block contains it. `facts` are stored, because raised fees make
 * transactions that nobody else remembers. Returns null when it has to be sent, or sent again.
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
 * Looks for the transaction that minted what was just heard to be attested. If it was ours, a process that was killed
 * sent it, and what the relayer's record knows of it is stored.
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

/** What a provider newly says of a delay; nothing while it says the same. */
export function delayIn(pending: Pending, { facts }: Execution): { facts?: Facts; historyEntry?: string } {
  const delay = pending.delay ?? null
  if (delay?.reason === facts.delay?.reason) return {}
  return { facts: { delay }, ...(delay && { historyEntry: 'delivery delayed' }) }
}

/** What is remembered of a mint that the destination would refuse now, because Circle has paused there, for example. */
export const refusedMint = (attested: AttestedMint, { facts }: Execution, { now }: Pick<Ports, 'now'>): Facts => ({
  mint: { ...attestedNow(attested, facts.mint, now()), refusedAt: now() },
})

/** What is remembered of a mint whose attestation has expired: nobody is shown a call that the chain would refuse. */
export function expiredMint({ facts: { mint } }: Execution): Facts {
  if (!mint) return {}
  const { call: _, ...known } = mint
  return { mint: known }
}

/** Whether the relayer's transaction for a mint has bytes that no confirmed block contains. */
async function isWaiting(id: Hash, { sender }: Sent, { relayerRecords }: Ports): Promise<boolean> {
  const slot = slotOf(await relayerRecords.load(sender), id)
  return slot !== undefined && newest(slot) !== undefined
}

/**
 * Has the attested money minted: the call is stored under a nonce of our relayer on the destination chain, and then
 * sent. From then on `tend` sends it again and raises its fee, as for an order. The chain mints a burn once, whoever
 * asks, and pays only its recipient, so a second call costs gas and nothing else.
 *
 * @throws {RoutingError} PROVIDER_MALFORMED when the call would not mint exactly what this execution's route burnt.
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
  if (objection) throw new RoutingError('PROVIDER_MALFORMED', { cause: new Error(`What is to mint ${objection}`) })
  const { time } = await chain.head()
  const mint = mintOf(attested, { chainId: chain.chainId, routeId: order.routeId, time, gas })
  const before = attestedNow(attested, facts.mint, now())
  const askAgainInMs = pollMs(now() - before.attestedAt, ports.pollMs)
  const wait = { askAgainInMs, waitingFor: 'PROVIDER', facts: { mint: before } } as const
  // An attestation that was renewed makes another call. The one before must not be under way any more.
  const last = before.transactions.at(-1)
  if (last && before.id !== mint.id && (await isWaiting(before.id, last, ports))) return wait
  const request = slotRequestOf(execution, await limits.relayerShareOf(organizationId))
  const assigned = await slotFor(mint, ports, request)
  if (!assigned) return { ...wait, askAgainInMs: Math.max(askAgainInMs, slotLookMs), waitingFor: 'GAS' }
  const attempt = newest(assigned.slot)
  // It was mined and has not minted, or was given up, and is sent again after a while.
  if (!attempt || !assigned.slot.order) return wait
  await sendStored(attempt.bytes, assigned.relayerId, ports)
  const isKnown = before.transactions.some(({ hash }) => hash === attempt.hash)
  const transactions = isKnown
    ? before.transactions
    : [...before.transactions, sentAs(attempt, assigned.slot, assigned.relayerId)]
  const stored = { ...before, id: mint.id, transactions }
  return { ...wait, facts: { mint: stored }, ...(!isKnown && { historyEntry: 'mint submitted' }) }
}
