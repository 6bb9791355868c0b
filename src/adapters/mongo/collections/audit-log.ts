import type { Connection } from 'mongoose'
import type { AuditEntry } from '../../../domain/tenant/audit'
import type { AuditQueries } from '../../../ports/queries'
import type { AuditLog } from '../../../ports/tenants'
import { any, collection, text, textOrNull, whole } from '../engine/collection'
import { type Filter, found } from '../engine/page'

type StoredEntry = Omit<AuditEntry, 'id'> & { _id: string }

const fields = {
  at: whole,
  actor: any,
  organizationId: text,
  verb: text,
  target: text,
  reason: textOrNull,
  details: any,
  requestId: textOrNull,
}

const duplicateKey = 11000

function auditIndex({ target, organizationId }: Filter): string {
  if (target !== undefined) return 'target'
  return organizationId === undefined ? 'newestAnywhere' : 'newest'
}

/** Append-only: nothing here changes or removes an entry. */
export function mongoAuditLog(connection: Connection): AuditLog & AuditQueries {
  const model = collection<StoredEntry>(connection, 'auditLog', fields, [
    [{ organizationId: 1, at: -1, _id: -1 }, { name: 'newest' }],
    [{ at: -1, _id: -1 }, { name: 'newestAnywhere' }],
    [{ target: 1 }, { name: 'target' }],
  ])
  const rows = found(model, auditIndex)
  return {
    async append({ id, ...entry }) {
      try {
        await model.collection.insertOne({ _id: id, ...entry } as never)
      } catch (error) {
        // An entry never changes, so one that is there already was stored by an earlier attempt.
        if ((error as { code?: unknown }).code !== duplicateKey) throw error
      }
    },
    async list({ organizationId, verb, target, actorId, createdFrom, createdTo }, page) {
      const equal = { organizationId: organizationId ?? undefined, verb, target, 'actor.id': actorId }
      const entries = await rows.page(equal, { field: 'at', from: createdFrom, to: createdTo }, page)
      return entries.map(({ _id, ...entry }) => ({ id: _id, ...entry }))
    },
  }
}
