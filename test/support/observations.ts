import { type Observation, observationId } from '../../src/domain/execution/overdue'
import type { Observations } from '../../src/ports/observing'

export function observationsInMemory(): Observations {
  const kept = new Map<string, Observation>()
  return {
    async note({ kind, chainId, provider, subject }, at, wellAt, balanceRaw) {
      const id = observationId({ kind, chainId, provider, subject })
      const before = kept.get(id)
      const okAt = wellAt === null ? (before?.okAt ?? at) : Math.max(wellAt, before?.okAt ?? 0)
      const holds = balanceRaw === undefined ? {} : { balanceRaw: String(balanceRaw) }
      kept.set(id, {
        ...before,
        id,
        kind,
        chainId,
        provider,
        subject,
        okAt,
        at: Math.max(at, before?.at ?? 0),
        ...holds,
      })
    },
    all: async () => structuredClone([...kept.values()]),
  }
}
