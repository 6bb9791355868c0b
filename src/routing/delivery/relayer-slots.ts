import { BoundedMap } from '../../domain/bounded-map'
import type { Hex } from '../../domain/chain/hex'
import {
  delegatedNow,
  inFlight,
  mayTake,
  nextNonce,
  type Relayer,
  type Slot,
  type SlotRequest,
  unminedMaxOf,
  unusedRelayer,
} from '../../domain/chain/relayer'
import {
  activeQueue,
  hasAssignedSlot,
  hasWaiters,
  isInvited,
  isItsTurn,
  type SlotOrder,
  withoutWaiter,
  withQueued,
  withSlotsAssigned,
} from '../../domain/chain/slot-queue'
import { inTurn, isRewritten, rewrite } from '../../domain/concurrency'
import type { Execution } from '../../domain/execution/execution'
import { KeyDelegated } from '../../domain/unavailable'
import type { ChainClient } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import type { Records } from '../../ports/records'
import type { RelayerAddress, Relayers } from '../../ports/signer'
import type { Wakes } from '../../ports/wakes'

type SlotPorts = {
  relayerRecords: Records<Relayer>
  chain: ChainClient
  now: () => number
  /** Largest number of orders in one transaction. If absent, 1: each order gets its own transaction. */
  ordersPerTransaction?: number | undefined
}

export type RelayerPorts = SlotPorts & { relayers: Relayers }
export type RelayersOfAll = Omit<RelayerPorts, 'chain'>

export const relayersOn = (all: RelayersOfAll, chain: ChainClient): RelayerPorts => {
  const { relayers, relayerRecords, ordersPerTransaction, now } = all
  return { relayers, relayerRecords, ordersPerTransaction, now, chain }
}

const fullForMs = 250
const fullMax = 10_000
const triesMax = 5

/**
 * This process's memory of the relayers. Writers of one process update a record one after another; between processes,
 * the record's version decides.
 */
type Memory = {
  inTurn: ReturnType<typeof inTurn>
  /** When each relayer stops counting as full, for all organizations (null) or for one. */
  fullUntil: BoundedMap<string, Map<string | null, number>>
  /** Each record as this process last wrote it. */
  written: BoundedMap<string, Relayer>
  /** The relayers whose free slots are about to be assigned. */
  calling: Set<string>
  /** The orders that request a slot of each relayer now and have no nonce yet. */
  asking: Map<string, Set<PendingSlotOrder>>
}

/** An order that requests a slot now. `assigned` is the slot of another order whose transaction it joined. */
type PendingSlotOrder = SlotOrder & { assigned: Slot | null }
const memories = new WeakMap<Records<Relayer>, Memory>()

export function memoryOf(relayerRecords: Records<Relayer>): Memory {
  const memory = memories.get(relayerRecords) ?? {
    inTurn: inTurn(),
    fullUntil: new BoundedMap(fullMax),
    written: new BoundedMap(fullMax),
    calling: new Set(),
    asking: new Map(),
  }
  memories.set(relayerRecords, memory)
  return memory
}

export const relayerFrom = async ({ id }: RelayerAddress, relayerRecords: Records<Relayer>): Promise<Relayer> =>
  (await relayerRecords.load(id)) ?? unusedRelayer(id)

export async function save(record: Relayer, relayerRecords: Records<Relayer>): Promise<Relayer | null> {
  const saved = await relayerRecords.save(record)
  if (saved) memoryOf(relayerRecords).written.set(saved.id, saved)
  return saved
}

type Change = (record: Relayer) => Relayer | null | Promise<Relayer | null>

/** Changes a relayer's record. Returns false if other processes were faster: the caller comes back later. */
function tried(id: string, relayerRecords: Records<Relayer>, change: Change, first?: Relayer): Promise<boolean> {
  const records = { ...relayerRecords, save: (record: Relayer) => save(record, relayerRecords) }
  return isRewritten(rewrite(records, id, (record) => record && change(record), { first, triesMax }))
}

/** Whether this process was the last to write the record. If so, this process tends its transactions. */
export const isOwn = ({ id, version }: Relayer, { relayerRecords }: Pick<SlotPorts, 'relayerRecords'>): boolean =>
  memoryOf(relayerRecords).written.get(id)?.version === version

/**
 * Counts the mined nonces of a relayer. A node that lags may report fewer than the confirmed block shows.
 *
 * @param isEnough Whether the count at the confirmed block is enough, so the newest block need not be read.
 */
export async function noncesOf(
  { address }: RelayerAddress,
  chain: ChainClient,
  confirmed: number,
  isEnough?: (settled: number) => boolean,
) {
  const atConfirmed = chain.minedNonces(address, confirmed)
  if (isEnough?.(await atConfirmed)) return { settled: await atConfirmed, mined: await atConfirmed }
  const [settled, latest] = await Promise.all([atConfirmed, chain.minedNonces(address)])
  return { settled, mined: Math.max(settled, latest) }
}

const saidMax = 2 // above this number of transactions, one request to a node is cheaper

/**
 * Returns the state of the transactions under way as their executions record it, which saves a request to a node: MINED
 * if a block was seen for each, SENT if each was sent. Null if this is not recorded for all of them.
 */
export async function recordedProgressOf(
  record: Relayer,
  executions: Pick<Executions, 'load'>,
): Promise<'MINED' | 'SENT' | null> {
  const flying = inFlight(record)
  if (flying.length > saidMax) return null
  const said = await Promise.all(
    flying.map(async ({ executionId, orderId, hashes }) => {
      const execution = executionId === undefined ? null : await executions.load(executionId)
      const { order, receipt, transactions = [] } = execution?.facts ?? {}
      if (order?.id !== orderId || transactions.length === 0) return null
      return receipt && hashes.some(({ hash }) => hash === receipt.hash) ? 'MINED' : 'SENT'
    }),
  )
  if (said.length === 0 || said.includes(null)) return null
  return said.includes('SENT') ? 'SENT' : 'MINED'
}

/** The earliest detected execution has waited longest. Its earlier waits count too. */
export const slotRequestOf = ({ id, organizationId, bucket, deposit }: Execution, share: number): SlotRequest => ({
  executionId: id,
  organizationId,
  bucket,
  since: deposit.detectedAt,
  share,
})

/**
 * Whether the relayer had no free slot a moment ago. Hundreds of orders can wait for it, and this saves each a read of
 * the record.
 */
function isFull({ id }: Relayer, { organizationId }: SlotRequest, { relayerRecords, now }: SlotPorts): boolean {
  const until = memoryOf(relayerRecords).fullUntil.get(id)
  return [null, organizationId].some((whose) => (until?.get(whose) ?? Number.NEGATIVE_INFINITY) > now())
}

/** @param whose The organization that gets no slot of the relayer; null if no organization gets one. */
export function markFull(
  { id }: RelayerAddress,
  whose: string | null,
  { relayerRecords, now }: Pick<SlotPorts, 'relayerRecords' | 'now'>,
): null {
  const { fullUntil } = memoryOf(relayerRecords)
  const still = [...(fullUntil.get(id) ?? [])].filter(([, until]) => until > now())
  fullUntil.set(id, new Map([...still, [whose, now() + fullForMs]]))
  return null
}

/** Returns the nonce that an execution can take now; null if no slot is free or if others come first. */
export async function freeNonce(record: Relayer, relayer: RelayerAddress, ports: SlotPorts, request: SlotRequest) {
  const { chain, now } = ports
  if (!hasAssignedSlot(record, request.executionId, now()) && isFull(record, request, ports)) return null
  const { mined } = await noncesOf(relayer, chain, await chain.confirmedNumber())
  const nonce = nextNonce(record, mined)
  if (nonce !== null && isItsTurn(record, mined, request, now())) return { nonce, mined }
  return markFull(relayer, nonce === null ? null : request.organizationId, ports)
}

/**
 * Returns the relayer's record if it has a slot for an execution. If not, returns null: the execution joins the
 * relayer's queue, and is woken when it is assigned a slot.
 */
export const withFreeSlot = (
  relayer: RelayerAddress,
  ports: SlotPorts,
  request: SlotRequest,
): Promise<Relayer | null> =>
  memoryOf(ports.relayerRecords).inTurn(relayer.id, async () => {
    const record = await relayerFrom(relayer, ports.relayerRecords)
    if (isInvited(record, request.executionId, ports.now())) return record
    if (activeQueue(record, ports.now()).length === 0 && mayTake(record.slots, request, unminedMaxOf(record)))
      return record
    if (await freeNonce(record, relayer, ports, request)) return record
    return joinQueue(record, ports, request)
  })

/** Adds an execution to a relayer's queue. An execution that cannot join tries again at its own next poll. */
export async function joinQueue(
  record: Relayer,
  { relayerRecords, now }: SlotPorts,
  request: SlotRequest,
): Promise<null> {
  await tried(record.id, relayerRecords, (current) => withQueued(current, request, now()), record)
  return null
}

/**
 * Sends the bytes stored under a nonce. For a key with delegated code, a node accepts one transaction at a time, so
 * these bytes are sent again once the previous transaction is mined. From then on, one transaction of the key is signed
 * at a time.
 */
export async function sendStored(bytes: Hex, relayerId: string, ports: Pick<SlotPorts, 'chain' | 'relayerRecords'>) {
  try {
    await ports.chain.send(bytes)
  } catch (error) {
    if (!(error instanceof KeyDelegated)) throw error
    const { relayerRecords } = ports
    const noted = (record: Relayer) => (record.isDelegated ? null : delegatedNow(record, true))
    await memoryOf(relayerRecords).inTurn(relayerId, () => tried(relayerId, relayerRecords, noted))
  }
}

/** Removes an execution that must not use a slot now from a relayer's queue. It joins the queue again later. */
export async function leaveQueue(
  { id }: RelayerAddress,
  { relayerRecords }: Pick<SlotPorts, 'relayerRecords'>,
  executionId: string,
): Promise<void> {
  await tried(id, relayerRecords, (record) => {
    const left = withoutWaiter(record, executionId)
    return left === record ? null : left
  })
}

type HandOverPorts = SlotPorts & { wakes: Pick<Wakes, 'wakeNow'> }

/**
 * Assigns the free slots of a relayer to the executions that have waited longest, and wakes them. Called when a
 * transaction of the relayer is seen mined. The assignment is stored before the wake-up. If the wake-up is lost or the
 * process dies, the slot passes to the next in the queue after a while.
 */
export async function assignSlots(relayer: RelayerAddress, ports: HandOverPorts): Promise<void> {
  const { calling, inTurn, fullUntil } = memoryOf(ports.relayerRecords)
  if (calling.has(relayer.id)) return
  calling.add(relayer.id)
  const called = await inTurn(relayer.id, () => {
    calling.delete(relayer.id) // this run may miss transactions mined from now on
    fullUntil.delete(relayer.id)
    return storeHandOver(relayer, ports)
  })
  const woken = await Promise.allSettled(
    called.map(({ executionId, bucket }) => ports.wakes.wakeNow({ id: executionId, bucket })),
  )
  const failed = woken.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

async function storeHandOver(relayer: RelayerAddress, { relayerRecords, chain, now, ordersPerTransaction }: SlotPorts) {
  let called: NonNullable<ReturnType<typeof withSlotsAssigned>>['called'] = []
  const isStored = await tried(relayer.id, relayerRecords, async (record) => {
    called = []
    if (!hasWaiters(record)) return null
    const { mined } = await noncesOf(relayer, chain, await chain.confirmedNumber())
    if (nextNonce(record, mined) === null) return null
    const handed = withSlotsAssigned(record, mined, now(), ordersPerTransaction)
    called = handed?.called ?? []
    return handed && handed.relayer
  })
  return isStored ? called : []
}
