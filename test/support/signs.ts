import { type Sign, signId } from '../../src/domain/execution/overdue'
import type { Signs } from '../../src/ports/overdue'

export function signsInMemory(): Signs {
  const kept = new Map<string, Sign>()
  return {
    async note({ kind, chainId, provider, subject }, at, wellAt) {
      const id = signId({ kind, chainId, provider, subject })
      const before = kept.get(id)
      const okAt = wellAt === null ? (before?.okAt ?? at) : Math.max(wellAt, before?.okAt ?? 0)
      kept.set(id, { id, kind, chainId, provider, subject, okAt, at: Math.max(at, before?.at ?? 0) })
    },
    all: async () => structuredClone([...kept.values()]),
  }
}
