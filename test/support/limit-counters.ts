import type { QuotaWarning } from '../../src/domain/tenant/quota'
import type { LimitCounters, QuotaWarnings } from '../../src/ports/limits'

export function limitCountersInMemory(): LimitCounters {
  const used = new Map<string, number>()
  return {
    take: async (id, most, _forgetAt, amount = 1) => {
      const count = used.get(id) ?? 0
      if (count + amount > most) return false
      used.set(id, count + amount)
      return true
    },
    giveBack: async (id, amount = 1) => {
      const count = used.get(id) ?? 0
      if (count >= amount) used.set(id, count - amount)
    },
  }
}

export function quotaWarningsInMemory(): QuotaWarnings {
  const kept = new Map<string, QuotaWarning>()
  return {
    async note(warning) {
      if (!kept.has(warning.id)) kept.set(warning.id, warning)
    },
    between: async ({ organizationId }, from, to) =>
      [...kept.values()].filter(
        (one) => (organizationId === null || one.organizationId === organizationId) && one.at >= from && one.at < to,
      ),
  }
}
