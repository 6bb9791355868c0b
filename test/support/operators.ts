import type { Job, Jobs } from '../../src/ports/jobs'
import type { Pause, PauseEntries } from '../../src/ports/pauses'
import { recordsInMemory } from './records'

export function pausesInMemory(...records: Pause[]) {
  const kept = recordsInMemory<Pause>(...records)
  const port: PauseEntries = {
    load: kept.load,
    save: kept.save,
    changedSince: async (time) => structuredClone(kept.all().filter(({ updatedAt }) => updatedAt >= time)),
  }
  return { ...kept, ...port }
}

export function jobsInMemory(...records: Job[]) {
  const kept = recordsInMemory<Job>(...records)
  const port: Jobs = {
    load: kept.load,
    save: kept.save,
    due: async (now) => structuredClone(kept.all().filter(({ dueAt }) => dueAt !== null && dueAt <= now)),
  }
  return { ...kept, ...port }
}
