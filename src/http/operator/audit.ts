import { Elysia } from 'elysia'
import { type, view } from '../../domain/schema'
import { type ListedEntry, placeOf } from '../../domain/tenant/audit-chain'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import type { Caller, Gate } from '../request/caller'
import { answer } from '../request/etag'
import { bodyOf, orderedQuery, pageOf, readListQuery } from '../request/page'
import { readQuery } from '../request/query'
import { partTimeoutS } from '../request/text-stream'
import { asText } from '../routes/deposits'
import { ActorView } from '../views/actor'
import { example } from '../views/examples'
import { IdFilter, TimeFilter } from '../views/filter'
import { described, isoTime, Text, TextOrNull, Time } from '../views/scalar'
import { operatorOnly } from './access'
import { exportFormats, exportOf, exportTypes } from './audit-export'
import type { OperatorPorts } from './ports'

const hash = '9b0c1f6f0e1d6a3cf4f8a8b3a0d7e2c5b1f4d9e8c7a6b5f4e3d2c1b0a9f8e7d6'

export const AuditEntryView = view({
  id: Text('The entry', 'aud_01M7YS2Q'),
  at: Time('Time of the action', '2026-11-21T10:22:08.004Z'),
  actor: described(ActorView, 'The actor'),
  verb: Text('The action', 'execution.redrive'),
  target: Text('The target of the action', example.depositId),
  reason: TextOrNull('The reason', 'Integrator moved the target to USDC on arbitrum'),
  details: described(type('object'), 'Further details', { intent: 'CURRENT', intentVersion: 4 }),
  requestId: TextOrNull('The request that caused it', 'req_3nK8vQ0cYxW2tB7mZs1LpA'),
  seq: described(type('number.integer >= 1 | null'), 'Its position in the chain of its organization', 17),
  hash: TextOrNull('SHA-256 of the entry and the hash before it', hash),
  'organizationId?': Text('For the platform’s operators only', 'org_1'),
})

const auditView = ({ at, seq, hash, organizationId, ...entry }: ListedEntry, { tenant }: Caller) => ({
  id: entry.id,
  at: isoTime(at),
  actor: entry.actor,
  verb: entry.verb,
  target: entry.target,
  reason: entry.reason,
  details: entry.details,
  requestId: entry.requestId,
  seq,
  hash,
  ...(tenant === null && { organizationId }),
})

const AuditQuery = type({
  ...orderedQuery,
  'verb?': described(type(/^[a-z_.-]{1,64}$/).describe('a verb'), 'Only actions with this verb', 'execution.redrive'),
  'target?': IdFilter('Only actions on this target', example.depositId),
  'actor?': IdFilter('Only actions of this actor', 'key_9fT2'),
  'createdFrom?': TimeFilter('Written at this time or later', '2026-11-01T00:00:00.000Z'),
  'createdTo?': TimeFilter('Written before this time', '2026-12-01T00:00:00.000Z'),
})

const ExportQuery = type({
  'format?': described(type.enumerated(...exportFormats).describe('jsonl or csv'), 'JSON lines, or a table', 'jsonl'),
})

const listAuditDocs = operationDocs({
  operationId: 'listAudit',
  tag: 'Operators',
  summary: 'List the audit log',
  description: 'Newest first unless `order` is `oldest`. Entries are never changed or removed.',
  roles: operatorOnly.roles,
  query: AuditQuery,
  answers: { 200: { rows: AuditEntryView, description: 'The entries.', headers: ['etag'] } },
  refusals: ['INVALID_CURSOR', 'UNKNOWN_PARAMETER'],
})

const exportAuditDocs = operationDocs({
  operationId: 'exportAudit',
  tag: 'Operators',
  summary: 'Export the audit log',
  description: 'Oldest first, with the end of each chain. `npx switchyard audit verify` checks it.',
  roles: operatorOnly.roles,
  rateClass: 'X',
  query: ExportQuery,
  answers: { 200: { view: null, description: 'The whole log.' } },
  fileTypes: Object.values(exportTypes),
  refusals: ['UNKNOWN_PARAMETER'],
})

type Ports = { operator: Pick<OperatorPorts, 'auditLog'> }

/** The audit log and its export, for operators (extensions 9.1). */
export function operatorAudit({ operator: { auditLog } }: Ports, gate: Gate, prefix: string) {
  const list = new Elysia({ prefix }).use(authenticate(gate, operatorOnly)).get(
    '/operator/audit',
    async ({ caller, request, set }) => {
      const { listed, filters } = readListQuery(request, AuditQuery, true)
      const { actor, ...filter } = filters
      const page = await pageOf(
        { request, set },
        { path: `${prefix}/operator/audit`, filters: asText(filters), listed },
        (page) => auditLog.list({ organizationId: caller.tenant, ...filter, actorId: actor }, page),
        (entry) => ({ createdAt: entry.at, id: placeOf(entry) }),
      )
      return answer(
        { request, set },
        bodyOf({ set }, page, (row) => auditView(row, caller)),
      )
    },
    listAuditDocs,
  )
  const whole = new Elysia({ prefix }).use(authenticate(gate, { ...operatorOnly, rateClass: 'X' })).get(
    '/operator/audit/export',
    ({ caller, request, set, server }) => {
      const { format = 'jsonl' } = readQuery(request, ExportQuery, true)
      server?.timeout(request, partTimeoutS)
      set.headers['cache-control'] = 'no-store'
      return exportOf(auditLog, caller, format)
    },
    exportAuditDocs,
  )
  return new Elysia().use(list).use(whole)
}
