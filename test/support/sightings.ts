import type { Sighting } from '../../src/domain/deposit/sighting'
import type { ScanCursor, Sightings } from '../../src/ports/detection'
import { recordsOf } from './records'

export function sightingsInMemory(...records: Sighting[]) {
  const kept = recordsOf<Sighting>('sightings', ...records)
  const port: Sightings = {
    load: kept.load,
    save: kept.save,
    confirming: async (chainId, block) =>
      kept
        .all()
        .filter((seen) => seen.chainId === chainId && seen.stage === 'CONFIRMING' && seen.block <= block)
        .toSorted((a, b) => a.block - b.block),
  }
  return { ...kept, ...port }
}

export const scanCursorsInMemory = (...records: ScanCursor[]) => recordsOf<ScanCursor>('scanCursors', ...records)
