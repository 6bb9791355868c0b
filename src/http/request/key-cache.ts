import type { ApiKey } from '../../domain/tenant/api-key'
import type { Organization } from '../../domain/tenant/organization'

/** A key with its organization, as they were stored a moment ago. */
export type Owned = { key: ApiKey; organization: Organization }
type LoadKey = (digest: string) => Promise<Owned | null>

/** From this age on a key is asked for again while it still serves; no older one serves: within 1 s (decision 19). */
const staleMs = 350
const ageMaxMs = 700
const knownMax = 20_000
const unknownMax = 2_000

type Entry = { owned: Owned | null; askedAt: number }

/**
 * Digests that were asked for a moment ago. A hit is synchronous; a miss is asked for once, however many wait for it.
 * Ages count from the asking, so a slow answer does not make a revoked key live longer. Unknown digests have a small
 * place of their own: a flood of them pushes no valid key out.
 */
export function keyCache(load: LoadKey, now: () => number) {
  const known = new Map<string, Entry>()
  const unknown = new Map<string, Entry>()
  const asking = new Map<string, Promise<Owned | null>>()

  function ask(digest: string): Promise<Owned | null> {
    const running = asking.get(digest)
    if (running) return running
    const askedAt = now()
    const asked = load(digest)
      .then((owned) => {
        known.delete(digest)
        unknown.delete(digest)
        const [place, max] = owned ? [known, knownMax] : [unknown, unknownMax]
        if (place.size >= max) place.delete(place.keys().next().value!)
        place.set(digest, { owned, askedAt })
        return owned
      })
      .finally(() => asking.delete(digest))
    asking.set(digest, asked)
    return asked
  }

  /** @param canBe asked before anybody is asked for a digest that is not known here. */
  return (digest: string, canBe = () => true): Owned | null | Promise<Owned | null> => {
    const entry = known.get(digest) ?? unknown.get(digest)
    if (!entry && !canBe()) return null
    const age = entry ? now() - entry.askedAt : Number.POSITIVE_INFINITY
    if (age >= ageMaxMs) return ask(digest)
    // A failure here is met by whoever comes when the entry is too old to serve.
    if (age >= staleMs && !asking.has(digest)) ask(digest).catch(() => {})
    return entry!.owned
  }
}
