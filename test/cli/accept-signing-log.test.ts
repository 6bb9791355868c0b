import { expect, test } from 'bun:test'
import { acceptLog } from '../../src/cli/verbs/signing-log'
import type { SignerLogState } from '../../src/domain/signer-log'
import type { AuditEntry } from '../../src/domain/tenant/audit'
import { recordsInMemory } from '../support/records'

const known = { id: 'signer', version: 1, count: 40, last: 'a'.repeat(64), other: null }
const other = { count: 3, last: 'b'.repeat(64) }

function storeWith(record: SignerLogState) {
  const entries: AuditEntry[] = []
  const signerLogs = recordsInMemory<SignerLogState>(record)
  const organizations = { all: async () => [] } as never
  const auditLog = { append: async (entry: AuditEntry) => void entries.push(entry) }
  return { store: { signerLogs, organizations, auditLog, time: async () => 7 } as never, signerLogs, entries }
}

test('workers trust the signer again after an operator names the new log’s last hash, and the audit log has it', async () => {
  const { store, signerLogs, entries } = storeWith({ ...known, other })
  expect(await acceptLog(store, other.last, 'a new disk')).toEqual({ from: 40, to: 3 })
  expect(signerLogs.get('signer')).toMatchObject({ ...other, other: null })
  expect(entries.map(({ verb, details }) => [verb, details])).toEqual([
    [
      'signer.accept_log',
      { before: { count: 40, last: known.last }, refused: other, accepted: other, reason: 'a new disk' },
    ],
  ])
})

test('a wrong hash is refused, and so is any hash while no log is rejected', async () => {
  const refused = storeWith({ ...known, other })
  expect(acceptLog(refused.store, 'c'.repeat(64), 'why')).rejects.toThrow(`3 entries that end with ${other.last}`)
  expect(refused.signerLogs.get('signer').other).toEqual(other)
  const well = storeWith(known)
  expect(acceptLog(well.store, known.last, 'why')).rejects.toThrow('nothing to accept')
  expect([refused.entries, well.entries]).toEqual([[], []])
})

test('a restored log is trusted as before', async () => {
  const { store, signerLogs } = storeWith({ ...known, other })
  await acceptLog(store, known.last, 'put back')
  expect(signerLogs.get('signer')).toMatchObject({ count: 40, last: known.last, other: null })
})
