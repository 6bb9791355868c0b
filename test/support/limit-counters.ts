import { markOf } from '../../src/domain/event-marks'
import type { QuotaWarning } from '../../src/domain/limits/quota'
import type { LimitCounters, QuotaWarnings } from '../../src/ports/limits'
import type { Marks } from './records'

export function limitCountersInMemory(): LimitCounters {
  const used = new Map<string, number>()
  return {
    take: async (id, most, _forgetAt, amount = 1) => {
      const count = used.get(id) ?? 0
      if (count + amount > most) return false
      used.set(id, count + amount)
      return true
    },
    used: async (id) => used.get(id) ?? 0,
    giveBack: async (id, amount = 1) => {
      const count = used.get(id) ?? 0
      if (count >= amount) used.set(id, count - amount)
    },
  }
}

export function quotaWarningsInMemory(): QuotaWarnings & { marks: Marks } {
  const kept = new Map<string, QuotaWarning>()
  const marks: Marks = new Map()
  return {
    marks,
    async note(warning) {
      if (kept.has(warning.id)) return
      kept.set(warning.id, warning)
      marks.set(warning.id, { dueAt: warning.at, mark: markOf(warning.at, warning.id) })
    },
    load: async (ids) => [...kept.values()].filter(({ id }) => ids.includes(id)),
  }
}
