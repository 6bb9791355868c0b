import { BoundedMap } from '../../domain/bounded-map'
import type { ApiKey } from '../../domain/tenant/api-key'
import type { Organization } from '../../domain/tenant/organization'

/** An API key with its organization, as recently stored. */
export type Owned = { key: ApiKey; organization: Organization }
type LoadKey = (digest: string) => Promise<Owned | null>

/**
 * An entry older than `staleMs` is refreshed in the background; an entry older than `ageMaxMs` is not used (decision
 * 19).
 */
const staleMs = 350
const ageMaxMs = 700
const knownMax = 20_000
const unknownMax = 2_000

type Entry = { owned: Owned | null; askedAt: number }

/**
 * Caches keys by digest. A hit is synchronous, and a miss is loaded once however many callers wait for it. Ages count
 * from the start of the load, so a slow load does not let a revoked key live longer. Unknown digests have their own
 * small cache, so a flood of them evicts no valid key.
 */
export function keyCache(load: LoadKey, now: () => number) {
  const known = new BoundedMap<string, Entry>(knownMax)
  const unknown = new BoundedMap<string, Entry>(unknownMax)
  const asking = new Map<string, Promise<Owned | null>>()

  function ask(digest: string): Promise<Owned | null> {
    const running = asking.get(digest)
    if (running) return running
    const askedAt = now()
    const asked = load(digest)
      .then((owned) => {
        known.delete(digest)
        unknown.delete(digest)
        const place = owned ? known : unknown
        place.set(digest, { owned, askedAt })
        return owned
      })
      .finally(() => asking.delete(digest))
    asking.set(digest, asked)
    return asked
  }

  /** @param canBe Called before a digest that is not cached is loaded. False returns null without loading. */
  return (digest: string, canBe = () => true): Owned | null | Promise<Owned | null> => {
    const entry = known.get(digest) ?? unknown.get(digest)
    if (!entry && !canBe()) return null
    const age = entry ? now() - entry.askedAt : Number.POSITIVE_INFINITY
    if (age >= ageMaxMs) return ask(digest)
    // If this refresh fails, the first caller after the entry's expiry gets the error.
    if (age >= staleMs && !asking.has(digest)) ask(digest).catch(() => {})
    return entry!.owned
  }
}
