import type { Pause, PauseEntries, Pauses } from '../../ports/operators'
import { clocksApartMs } from '../clock'

/** The pauses in memory. `refresh` reads the pauses that changed since its last run. Call it twice a second. */
export function cachedPauses(entries: Pick<PauseEntries, 'changedSince'>, now: () => number) {
  const known = new Map<string, Pause>()
  let readUntil = 0

  const stands = ({ resumedAt, until }: Pause): boolean => resumedAt === null && (until === null || until > now())

  const pauses: Pauses & { refresh(): Promise<Pause[]> } = {
    find(scopes) {
      for (const scope of scopes) {
        const pause = known.get(scope)
        if (pause && stands(pause)) return pause
      }
      return null
    },
    /** @returns The pauses that changed. */
    async refresh() {
      const read = await entries.changedSince(Math.max(0, readUntil - clocksApartMs))
      const changed = read.filter((pause) => known.get(pause.id)?.version !== pause.version)
      for (const pause of changed) {
        known.set(pause.id, pause)
        readUntil = Math.max(readUntil, pause.updatedAt)
      }
      return changed
    },
  }
  return pauses
}
