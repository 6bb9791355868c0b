import { type Observation, observationId } from '../../src/domain/execution/overdue'
import type { Observations } from '../../src/ports/overdue'

export function observationsInMemory(): Observations {
  const kept = new Map<string, Observation>()
  return {
    async note({ kind, chainId, provider, subject }, at, wellAt) {
      const id = observationId({ kind, chainId, provider, subject })
      const before = kept.get(id)
      const okAt = wellAt === null ? (before?.okAt ?? at) : Math.max(wellAt, before?.okAt ?? 0)
      kept.set(id, { id, kind, chainId, provider, subject, okAt, at: Math.max(at, before?.at ?? 0) })
    },
    all: async () => structuredClone([...kept.values()]),
  }
}
