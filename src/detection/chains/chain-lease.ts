import { type ChainId, chainKeyOf } from '../../domain/chain/chain'
import type { ChainLease, ChainLeases } from '../../ports/detection'

type Ports = {
  chainId: ChainId
  leases: ChainLeases
  /** A name that is unique to this process. */
  holder: string
  leaseMs: number
  now: () => number
}

/** How often a lease is renewed before it would end. */
const renewals = 3
const writersMax = 20

export type Lease = ReturnType<typeof chainLease>

/**
 * Decides which of all processes watches a chain: the one whose name the chain's record bears, until the time that it
 * bears. Whoever holds the lease renews it; when its holder dies or stalls it ends, and another process takes it. Two
 * processes may believe for a moment that they hold it. That costs requests and nothing else: the cursor has one writer
 * at a time, and a deposit has one id.
 */
export function chainLease({ chainId, leases, holder, leaseMs, now }: Ports) {
  const id = chainKeyOf(chainId)
  const fresh: ChainLease = { id, version: 0, holder: null, until: 0, wantedBlock: 0, pointedAt: null, missedAt: null }
  let known: ChainLease = fresh
  let askAt = Number.NEGATIVE_INFINITY

  const isHeld = (): boolean => known.holder === holder && known.until > now()

  async function ask(wantedBlock: number): Promise<void> {
    const stored = (await leases.load(id)) ?? fresh
    const at = now()
    const isFree = stored.holder === null || stored.holder === holder || stored.until <= at
    const wanted = Math.max(stored.wantedBlock, wantedBlock)
    const saved = isFree && (await leases.save({ ...stored, holder, until: at + leaseMs, wantedBlock: wanted }))
    if (isFree && !saved) return // somebody else wrote at the same time, and the next call sees what
    known = saved || stored
    askAt = isHeld() ? at + leaseMs / renewals : Math.min(at + leaseMs / renewals, known.until)
  }

  /** Changes the record, which others may change at the same time. */
  async function change(next: (stored: ChainLease) => ChainLease | null): Promise<void> {
    for (let n = 0; n < writersMax; n++) {
      const changed = next((await leases.load(id)) ?? fresh)
      if (!changed) return
      const saved = await leases.save(changed)
      if (saved) known = saved
      if (saved) return
    }
  }

  return {
    isHeld,
    /**
     * Takes, renews or awaits the lease. The database is asked only when that is due.
     *
     * @param wantedBlock The highest block that this process knows something to wait for in. It outlives the process.
     * @returns Whether this process holds the lease now.
     */
    async hold(wantedBlock: number): Promise<boolean> {
      if (now() >= askAt) await ask(wantedBlock)
      return isHeld()
    },
    /** Gives the lease up, so that the next process need not wait until it ends. */
    async release(): Promise<void> {
      if (isHeld()) await change((stored) => (stored.holder === holder ? { ...stored, holder: null, until: 0 } : null))
    },
    /** Tells whoever holds the lease that something in a block waits to be confirmed. */
    want: (block: number): Promise<void> =>
      change((stored) => (stored.wantedBlock < block ? { ...stored, wantedBlock: block } : null)),
    /** Notes that a webhook pointed at a deposit: they work. */
    async notePointed(): Promise<void> {
      const isNews = (lease: ChainLease) => lease.pointedAt === null || isSilentBy(lease)
      if (isNews(known)) await change((stored) => (isNews(stored) ? { ...stored, pointedAt: now() } : null))
    },
    /** Notes that a deposit was confirmed and no webhook had pointed at it. */
    noteMissed: (): Promise<void> => change((stored) => (isSilentBy(stored) ? null : { ...stored, missedAt: now() })),
    /** What the record said when it was last read. */
    get known() {
      return known
    },
  }
}

/** Whether a deposit was missed since a webhook last pointed at one. */
export const isSilentBy = ({ pointedAt, missedAt }: ChainLease): boolean =>
  missedAt !== null && missedAt > (pointedAt ?? 0)

/** The lease where one process is alone: it is always held, and there is nobody to tell. */
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
