import { heldMs, replayMs } from '../../../src/domain/tenant/idempotency'
import type { IdempotentRequests, IdempotentStart, StoredResponse } from '../../../src/ports/limits'

type Row = { fingerprint: string; at: number; turn: string; answer: StoredResponse | null }

export function memoryIdempotency(): IdempotentRequests {
  const rows = new Map<string, Row>()
  let turns = 0
  return {
    begin: async (id, fingerprint, at): Promise<IdempotentStart> => {
      const row = rows.get(id)
      if (row && at < row.at + (row.answer ? replayMs : heldMs)) {
        if (row.fingerprint !== fingerprint) return { kind: 'OTHER' }
        return row.answer ? { kind: 'KEPT', answer: row.answer } : { kind: 'RUNNING' }
      }
      const turn = String(++turns)
      rows.set(id, { fingerprint, at, turn, answer: null })
      return { kind: 'BEGUN', turn }
    },
    keep: async (id, turn, answer) => {
      const row = rows.get(id)
      if (row?.turn === turn) rows.set(id, { ...row, answer })
    },
    release: async (id, turn) => {
      if (rows.get(id)?.turn === turn) rows.delete(id)
    },
  }
}
