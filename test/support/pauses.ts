import { periodOf } from '../../src/domain/tenant/chain-pauses'
import type { Pause, PauseEntries, PausePeriod, PausePeriods } from '../../src/ports/operators'
import { recordsOf } from './records'

export function pausesInMemory(...records: Pause[]) {
  const kept = recordsOf<Pause>('pauses', ...records)
  const over = new Map<string, PausePeriod>()
  const nameOf = ({ scope, from }: PausePeriod) => `${scope}:${from}`
  const port: PauseEntries = {
    load: kept.load,
    async save(pause) {
      const stored = await kept.load(pause.id)
      const period = stored && periodOf(stored)
      if (stored?.version === pause.version && period && period.from !== pause.createdAt && period.to !== null)
        over.set(nameOf(period), period)
      return kept.save(pause)
    },
    changedSince: async (time) => structuredClone(kept.all().filter(({ updatedAt }) => updatedAt >= time)),
  }
  const periods: PausePeriods = {
    async since(scopes, time) {
      const known = new Map([...over, ...kept.all().map((one) => [nameOf(periodOf(one)), periodOf(one)] as const)])
      return [...known.values()].filter(({ scope, to }) => scopes.includes(scope) && (to === null || to >= time))
    },
  }
  return { ...kept, ...port, periods }
}
