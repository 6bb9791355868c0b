import type { Budgets } from '../../src/ports/budgets'

export function budgetsInMemory(): Budgets {
  const used = new Map<string, number>()
  return {
    take: async (id, most) => {
      const count = used.get(id) ?? 0
      if (count >= most) return false
      used.set(id, count + 1)
      return true
    },
  }
}
