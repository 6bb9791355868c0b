import { type ChainId, chainKeyOf, chainOf } from '../../domain/chain/chain'
import { depositIdOf } from '../../domain/execution/execution'
import { laneId } from '../../domain/execution/lane'
import { lease } from '../../domain/lease'
import type { ChainClient, Chains, Transfer } from '../../ports/chain-client'
import type { ChainLease, ChainLeases, Coverage, ScanCursors } from '../../ports/detection'
import type { Executions } from '../../ports/executions'

type Ports = {
  chainId: ChainId
  leases: ChainLeases
  /** A name that is unique to this process. */
  holder: string
  leaseMs: number
  now: () => number
}

/** Number of renewals within the duration of a lease. */
const renewals = 3
/** Longest pause before a process requests a lease again after giving it up. */
const givenMs = 10_000

export type Lease = ReturnType<typeof chainLease>

/**
 * Decides which process watches a chain: the holder of its lease. Two processes that both act as the holder only cost
 * requests, because the cursor has one writer at a time and a deposit has one id.
 */
export function chainLease({ chainId, leases, holder, leaseMs, now }: Ports) {
  const id = chainKeyOf(chainId)
  const fresh: ChainLease = { id, version: 0, holder: null, until: 0, wantedBlock: 0, pointedAt: null, missedAt: null }
  const held = lease(leases, fresh, { holder, forMs: leaseMs, renewMs: leaseMs / renewals, now })
  const { isHeld, isFree, change } = held

  return {
    isHeld,
    isFree,
    /**
     * Takes or renews the lease.
     *
     * @param wantedBlock The highest block in which this process has seen an unconfirmed deposit. It is stored, so it
     * outlives the process.
     * @returns Whether this process holds the lease now.
     */
    hold: (wantedBlock: number): Promise<boolean> =>
      held.hold((stored) => ({ ...stored, wantedBlock: Math.max(stored.wantedBlock, wantedBlock) })),
    /** Releases the lease permanently. */
    end: (): Promise<void> => held.release(),
    /** Releases the lease, and gives other processes time to take it before this process requests it again. */
    giveUp: (): Promise<void> => held.release(Math.min(leaseMs, givenMs)),
    /** Informs the lease holder that a block contains an unconfirmed deposit. */
    want: (block: number): Promise<void> =>
      change((stored) => (stored.wantedBlock < block ? { ...stored, wantedBlock: block } : null)),
    /** Records that a webhook pointed at a deposit, so webhooks work. */
    async notePointed(): Promise<void> {
      const isWorthNoting = (record: ChainLease) => record.pointedAt === null || isSilentBy(record)
      if (isWorthNoting(held.lastRead))
        await change((stored) => (isWorthNoting(stored) ? { ...stored, pointedAt: now() } : null))
    },
    /** Records that a deposit was confirmed although no webhook had pointed at it. */
    noteMissed: (): Promise<void> => change((stored) => (isSilentBy(stored) ? null : { ...stored, missedAt: now() })),
    /** The record as it was last read. */
    get lastRead() {
      return held.lastRead
    },
  }
}

/** Whether a deposit was missed since a webhook last pointed at one. */
export const isSilentBy = ({ pointedAt, missedAt }: ChainLease): boolean =>
  missedAt !== null && missedAt > (pointedAt ?? 0)

/** The lease of a process that runs alone: always held. */
export function lonelyLease(chainId: ChainId, now: () => number): Lease {
  const stored = new Map<string, ChainLease>()
  const leases: ChainLeases = {
    load: async (id) => stored.get(id) ?? null,
    save: async (lease) => {
      stored.set(lease.id, { ...lease, version: lease.version + 1 })
      return stored.get(lease.id)!
    },
  }
  return chainLease({ chainId, leases, holder: 'alone', leaseMs: Number.MAX_SAFE_INTEGER / 2, now })
}

/**
 * Returns the block up to which every deposit of a chain is recorded; -1 before the first scan. Any process may call
 * it.
 */
export const scannedTo =
  (cursors: ScanCursors) =>
  async (chainId: ChainId): Promise<number> =>
    (await cursors.load(chainKeyOf(chainId)))?.scannedBlock ?? -1

const lagSeconds = 4

/** Number of blocks that are read twice, because some nodes return a block before its logs. */
export const overlapOf = (chainId: ChainId): number =>
  Math.max(2, Math.ceil(lagSeconds / chainOf(chainId).blockSeconds))

/**
 * Returns the highest block of the balance sweep. A log above it belongs to the scanner, which derives the record's id
 * from the log's place on the chain. At or below it, every block has been read twice, so money that no record explains
 * belongs to the sweep. No transfer ever belongs to both.
 */
export const sweepFloor = (chainId: ChainId, scannedBlock: number): number => scannedBlock - overlapOf(chainId)

/**
 * Returns the highest block up to which the sweep might have recorded transfers. A reorganization sets the scan back,
 * but not the sweep's records.
 */
export const sweptTo =
  (cursors: ScanCursors) =>
  async (chainId: ChainId): Promise<number> => {
    const { scannedBlock = -1, wasAt = -1 } = (await cursors.load(chainKeyOf(chainId))) ?? {}
    return Math.max(wasAt, sweepFloor(chainId, scannedBlock))
  }

/**
 * Whether the scan has read the chain as it is now. After a reorganization, it first reads the changed blocks again. It
 * then records their logs in every lane where the sweep has found nothing. The sweep skips these lanes until the scan
 * is done, so one transfer never gets two records.
 */
export const isScanCurrent =
  (cursors: ScanCursors) =>
  async (chain: Pick<ChainClient, 'chainId' | 'blockAt'>): Promise<boolean> => {
    const cursor = await cursors.load(chainKeyOf(chain.chainId))
    if (!cursor || (cursor.wasAt ?? -1) > sweepFloor(chain.chainId, cursor.scannedBlock)) return false
    const { scannedBlock, scannedBlockHash } = cursor
    return (await chain.blockAt(scannedBlock, scannedBlockHash))?.hash === scannedBlockHash
  }

/**
 * Whether an unrecorded transfer may be part of a deposit that the sweep found up to a block. The transfer is then left
 * to the sweep, which finds whatever no record explains.
 */
export async function mayBeSwept(
  { load, ledgerOf }: Pick<Executions, 'load' | 'ledgerOf'>,
  chainId: ChainId,
  { to, token, txHash, logIndex }: Transfer,
  block: number,
): Promise<boolean> {
  if (await load(depositIdOf(chainId, txHash, logIndex))) return false
  return (await ledgerOf(laneId(to, chainId, token), block))?.finds !== 0
}

/** Returns how far a chain is read, from the database and the chain's node; null before the first scan. */
export const coverageOn =
  (chains: Chains, cursors: ScanCursors) =>
  async (chainId: ChainId): Promise<Coverage | null> => {
    const cursor = await cursors.load(chainKeyOf(chainId))
    if (!cursor) return null
    const [head, scanned] = await Promise.all([chains[chainId].head(), chains[chainId].blockAt(cursor.scannedBlock)])
    return {
      chainId,
      scannedBlock: cursor.scannedBlock,
      scannedBlockHash: cursor.scannedBlockHash,
      headBlock: head.number,
      lagBlocks: Math.max(0, head.number - cursor.scannedBlock),
      lagSeconds: scanned ? Math.max(0, head.time - scanned.time) : null,
      updatedAt: cursor.updatedAt,
    }
  }
