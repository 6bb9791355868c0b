import { type Rewritable, rewrite } from './concurrency'

/** A record that names its holder, and until when it is held. */
export type LeaseRecord = { id: string; version: number; holder: string | null; until: number }

export type LeaseTerms = {
  /** Unique to this process. */
  holder: string
  /** A holder that dies or stalls loses the lease after this time. */
  forMs: number
  /** Time between renewals. */
  renewMs: number
  /** Longest time between requests while another process holds the lease. */
  askMs?: number
  now: () => number
}

/** Whether a process may take the lease: no other process holds it, or its time is over. */
export const isFreeFor = (
  process: string,
  { holder, until }: Pick<LeaseRecord, 'holder' | 'until'>,
  at: number,
): boolean => holder === null || holder === process || until <= at

/**
 * The one way to hold something for a time. The record names the holder, who renews the lease before it ends. Two
 * processes can briefly both act as the holder, so a lease saves work but protects no data: every write under it stays
 * conditional.
 *
 * @param fresh The record before the first holder.
 */
export function lease<R extends LeaseRecord>(
  records: Rewritable<R>,
  fresh: R,
  { holder, forMs, renewMs, askMs = renewMs, now }: LeaseTerms,
) {
  const { id } = fresh
  let lastRead = fresh
  let askAt = Number.NEGATIVE_INFINITY
  let restsUntil = Number.NEGATIVE_INFINITY

  const rests = (): boolean => now() < restsUntil
  const isHeld = (): boolean => !rests() && lastRead.holder === holder && lastRead.until > now()

  async function ask(alsoSet: (stored: R) => R): Promise<void> {
    const stored = (await records.load(id)) ?? fresh
    const at = now()
    const isFree = !rests() && isFreeFor(holder, stored, at)
    const saved = isFree && (await records.save({ ...alsoSet(stored), holder, until: at + forMs }))
    if (isFree && !saved) return // another process wrote at the same time; the next call reads its record
    lastRead = saved || stored
    if (!rests()) askAt = isHeld() ? at + renewMs : Math.min(at + askMs, lastRead.until)
  }

  /** Changes the record, although other processes may change it at the same time. */
  async function change(next: (stored: R) => R | null): Promise<void> {
    lastRead = (await rewrite(records, id, (stored) => next(stored ?? fresh))) ?? lastRead
  }

  return {
    isHeld,
    change,
    /**
     * Takes or renews the lease. The database is read only when that is due.
     *
     * @param alsoSet Changes other fields of the record in the same write.
     * @returns whether this process holds the lease now.
     */
    async hold(alsoSet: (stored: R) => R = (stored) => stored): Promise<boolean> {
      if (now() >= askAt) await ask(alsoSet)
      return isHeld()
    },
    /**
     * Reads from the database whether the lease that another process held is free now.
     *
     * @returns whether the lease is free to take. The next call of `hold` then takes it.
     */
    async isFree(): Promise<boolean> {
      if (rests() || isHeld()) return false
      const isFree = isFreeFor(holder, (await records.load(id)) ?? fresh, now())
      if (isFree) askAt = now()
      return isFree
    },
    /**
     * Releases the lease, so another process need not wait until it ends.
     *
     * @param restMs Time until this process requests it again. By default, it never does.
     */
    async release(restMs = Number.POSITIVE_INFINITY): Promise<void> {
      const wasHeld = isHeld()
      restsUntil = now() + restMs
      askAt = restsUntil
      if (wasHeld) await change((stored) => (stored.holder === holder ? { ...stored, holder: null, until: 0 } : null))
    },
    get lastRead() {
      return lastRead
    },
  }
}
