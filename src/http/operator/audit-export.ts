import { csvOf } from '../../domain/plain-text'
import type { ChainHead, LinkedEntry } from '../../domain/tenant/audit-chain'
import type { AuditName } from '../../domain/tenant/audit-pseudonyms'
import type { AuditQueries } from '../../ports/queries'
import type { Caller } from '../request/caller'
import { Refusal } from '../request/failure'
import { textStream } from '../request/text-stream'
import { isoTime } from '../views/scalar'

export const exportFormats = ['jsonl', 'csv'] as const
type ExportFormat = (typeof exportFormats)[number]
export const exportTypes: Record<ExportFormat, string> = { jsonl: 'application/x-ndjson', csv: 'text/csv' }

const pageSize = 500
const notWhole = 'The log has entries of a previous release outside the chains: run `npx switchyard migrate` first'

type Log = Pick<AuditQueries, 'chain' | 'head' | 'isWhole' | 'names' | 'nextChain'>
type Form = {
  begin: string
  entries: (entries: readonly LinkedEntry[]) => string
  names: (names: readonly AuditName[]) => string
  head: (organizationId: string, head: ChainHead) => string
}

const columns = [
  ...['organizationId', 'seq', 'at', 'actorKind', 'actorId', 'actorLabel', 'verb', 'target', 'reason', 'details'],
  ...['requestId', 'id', 'previousHash', 'hash'],
]

/** Returns an entry as a line. It has the fields that its hash covers. */
const fieldsOf = ({ organizationId, seq, at, actor, verb, target, reason, details, ...rest }: LinkedEntry) => ({
  ...{ organizationId, seq, at: isoTime(at), actor, verb, target, reason, details },
  ...{ requestId: rest.requestId, id: rest.id, previousHash: rest.previousHash, hash: rest.hash },
})

function rowOf(entry: LinkedEntry): unknown[] {
  const { organizationId, seq, at, actor, verb, target, reason, details, requestId, id, previousHash, hash } =
    fieldsOf(entry)
  const who = [actor.kind, actor.id, actor.label]
  return [
    organizationId,
    seq,
    at,
    ...who,
    verb,
    target,
    reason,
    JSON.stringify(details),
    requestId,
    id,
    previousHash,
    hash,
  ]
}

/**
 * Each chain ends with the names behind the pseudonyms in its entries, each with the salt of its pseudonym. The last
 * line is about the chain's head; an export without it was cut off.
 */
const forms: Record<ExportFormat, Form> = {
  jsonl: {
    begin: '',
    entries: (entries) => entries.map((entry) => `${JSON.stringify(fieldsOf(entry))}\n`).join(''),
    names: (names) => names.map((name) => `${JSON.stringify({ name })}\n`).join(''),
    head: (organizationId, { seq, hash }) => `${JSON.stringify({ head: { organizationId, seq, hash } })}\n`,
  },
  csv: {
    begin: `${csvOf([columns])}\r\n`,
    entries: (entries) => `${csvOf(entries.map(rowOf))}\r\n`,
    names: (names) =>
      names
        .map(({ organizationId, stand, name, salt }) => [
          ...[organizationId, '', '', '', stand, name, 'log.name', salt ?? ''],
          ...Array(6).fill(''),
        ])
        .map((row) => `${csvOf([row])}\r\n`)
        .join(''),
    head: (organizationId, { seq, hash }) =>
      `${csvOf([[organizationId, seq, '', '', '', '', 'log.head', ...Array(6).fill(''), hash]])}\r\n`,
  },
}

async function* partsOf(log: Log, { tenant, isAdmitted }: Reader, form: Form): AsyncGenerator<string> {
  if (form.begin !== '') yield form.begin
  for await (const organizationId of chainsOf(log, tenant)) {
    let last: ChainHead = { seq: 0, hash: '' }
    const { seq: end } = await log.head(organizationId) // entries written from now on are left to the next export
    while (last.seq < end) {
      if (isAdmitted && !(await isAdmitted())) return
      const entries = await log.chain(organizationId, last.seq, Math.min(pageSize, end - last.seq))
      if (entries.length === 0) throw new Error(`Entries of ${organizationId} behind ${last.seq} are missing`)
      last = entries.at(-1)!
      yield form.entries(entries)
    }
    const names = form.names(await log.names(organizationId))
    if (names !== '') yield names
    yield form.head(organizationId, end === 0 ? await log.head(organizationId) : last)
  }
}

/** Yields the organizations whose logs a tenant sees; null stands for the platform's operators, who see every one. */
async function* chainsOf(log: Log, tenant: string | null): AsyncGenerator<string> {
  if (tenant !== null) return yield tenant
  for (let next = await log.nextChain(''); next !== null; next = await log.nextChain(next)) yield next
}

type Reader = Pick<Caller, 'tenant' | 'isAdmitted'>

/**
 * Streams the logs that a reader sees, each in the order of its chain. A page is read when the reader is ready. The
 * export is cut off, without the last head, once the reader would be refused.
 *
 * @throws {Refusal} STORE_UNAVAILABLE while entries are outside the chains, because an export without them would look
 * complete.
 */
export async function exportOf(log: Log, reader: Reader, format: ExportFormat): Promise<Response> {
  if (!(await log.isWhole(reader.tenant))) throw new Refusal('STORE_UNAVAILABLE', { message: notWhole })
  const form = forms[format]
  return textStream(partsOf(log, reader, form), {
    'content-type': `${exportTypes[format]}; charset=utf-8`,
    'content-disposition': `attachment; filename="audit.${format}"`,
  })
}
