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
      await model.collection.insertOne({ _id: id, ...entry } as never)
    },
    async list({ organizationId, verb, target, actorId, createdFrom, createdTo }, page) {
      const equal = { organizationId: organizationId ?? undefined, verb, target, 'actor.id': actorId }
      const entries = await rows.page(equal, { field: 'at', from: createdFrom, to: createdTo }, page)
      return entries.map(({ _id, ...entry }) => ({ id: _id, ...entry }))
    },
  }
}
