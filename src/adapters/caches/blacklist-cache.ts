import { type BlacklistEntry, blacklistId, entryAt } from '../../domain/blacklist-entry'
import type { BlacklistEntries, Pause, PauseEntries, Pauses } from '../../ports/operators'
import type { Blacklist } from '../../ports/tenants'
import { clocksApartMs } from '../clock'

/** The blocklist in memory. `refresh` reads the entries that changed since its last run. Call it once a second. */
export function cachedBlacklist(entries: Pick<BlacklistEntries, 'changedSince'>, now: () => number) {
  const entriesById = new Map<string, BlacklistEntry>()
  let readUntil = 0

  const activeEntry = (id: string): BlacklistEntry | null => {
    const entry = entriesById.get(id)
    return entry ? entryAt(entry, now()) : null
  }

  const blacklist: Blacklist & { refresh(): Promise<void> } = {
    /** An entry for the chain takes precedence over an entry for all chains. */
    isListed(kind, chainId, address) {
      const [here, everywhere] = [chainId, null].map((chain) => activeEntry(blacklistId(kind, chain, address)))
      if (here?.source === 'IMPORT' && everywhere?.listedAs === 'ALLOWED') return false // an operator's permission overrides imported lists
      const entry = here ?? everywhere
      return entry != null && entry.listedAs !== 'ALLOWED'
    },
    async refresh() {
      for (const entry of await entries.changedSince(Math.max(0, readUntil - clocksApartMs))) {
        entriesById.set(entry.id, entry)
        readUntil = Math.max(readUntil, entry.updatedAt)
      }
    },
  }
  return blacklist
}

/** The pauses in memory. `refresh` reads the pauses that changed since its last run. Call it twice a second. */
export function cachedPauses(entries: Pick<PauseEntries, 'changedSince'>, now: () => number) {
  const pausesById = new Map<string, Pause>()
  let readUntil = 0

  const stands = ({ resumedAt, until }: Pause): boolean => resumedAt === null && (until === null || until > now())

  const pauses: Pauses & { refresh(): Promise<Pause[]> } = {
    find(scopes) {
      for (const scope of scopes) {
        const pause = pausesById.get(scope)
        if (pause && stands(pause)) return pause
      }
      return null
    },
    /** @returns The pauses that changed. */
    async refresh() {
      const read = await entries.changedSince(Math.max(0, readUntil - clocksApartMs))
      const changed = read.filter((pause) => pausesById.get(pause.id)?.version !== pause.version)
      for (const pause of changed) {
        pausesById.set(pause.id, pause)
        readUntil = Math.max(readUntil, pause.updatedAt)
      }
      return changed
    },
  }
  return pauses
}
