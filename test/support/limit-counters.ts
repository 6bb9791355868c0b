import type { LimitCounters } from '../../src/ports/limits'

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
