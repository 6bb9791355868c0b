import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { jsonOf } from '../../domain/json'
import type { AuditEntry } from '../../domain/tenant/audit'
import { type ChainHead, chainFault, emptyChain, type LinkedEntry } from '../../domain/tenant/audit-chain'
import { standsIn } from '../../domain/tenant/audit-names'
import { type AuditName, isCovered, isTrue } from '../../domain/tenant/audit-pseudonyms'
import { operatorAccess } from '../client/operator-api'
import { reachService } from '../client/reach'
import { Failure } from '../terminal/failure'

type Checked = ChainHead & { organizationId: string; names: ReturnType<typeof namesOf> }

async function download(format: string): Promise<Readable> {
  const { url, key } = operatorAccess()
  const response = await reachService(url, `/api/operator/audit/export?format=${format}`, {
    headers: { 'x-api-key': key },
  })
  if (response.ok && response.body) return Readable.fromWeb(response.body as never)
  const { message } = ((await response.json().catch(() => null)) ?? {}) as { message?: string }
  const code = response.headers.get('x-error-code')
  throw new Failure(`${message ?? 'The request was refused'} (${response.status}${code ? ` ${code}` : ''})`)
}

/** Prints the whole audit log that the key may read. */
export async function exportAudit(format: string): Promise<void> {
  for await (const part of await download(format)) process.stdout.write(part as Uint8Array)
}

/**
 * Checks every link of an export, every name, and that heads noted earlier are still in it.
 *
 * @throws {Failure} if an entry was changed, moved, inserted or removed, or a name was changed or moved.
 */
export async function verifyAudit(file: string | undefined, chainHeads: readonly ChainHead[]): Promise<void> {
  const source = file === undefined ? await download('jsonl') : createReadStream(file)
  const missing = new Set(chainHeads)
  const checked: Checked[] = []
  let at: Checked | null = null
  let number = 0
  let isBroken = false
  source.on('error', () => {
    isBroken = true
  })
  const lines = createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })
  try {
    for await (const text of lines) {
      number += 1
      const line = lineOf(text, number)
      if ('name' in line) {
        at ??= beginning(line.name.organizationId)
        at.names.name(line.name, number)
        continue
      }
      at = next(at, line, number)
      for (const head of missing) if (head.seq === at.seq && head.hash === at.hash) missing.delete(head)
      if (!('head' in line)) continue
      checked.push(at)
      at = null
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('The export cannot be read.')
  }
  if (isBroken) throw new Failure('The export cannot be read.')
  if (at !== null || checked.length === 0)
    throw new Failure('The export was cut off: the line about its head is missing.')
  for (const { seq } of missing)
    throw new Failure(`The noted head ${seq} is not in this log: entries were changed or removed.`)
  const faults = checked.flatMap(({ names }) => names.faults())
  if (faults.length > 0) throw new Failure(`No entry was changed, but names were.\n${faults.join('\n')}`)
  for (const { organizationId, seq, hash, names } of checked) {
    console.log(`${organizationId}: ${seq} entries, none changed. The head is ${seq}:${hash}`)
    for (const line of names.summary()) console.log(line)
  }
  console.log('Keep the heads: with --head, a later check detects a log that was cut off or rewritten.')
}

const beginning = (organizationId: string): Checked => ({
  organizationId,
  ...emptyChain(organizationId),
  names: namesOf(organizationId),
})

/** Checks the next line of the export. Returns the position reached. */
function next(at: Checked | null, line: Exclude<Line, { name: unknown }>, number: number): Checked {
  const { organizationId } = 'head' in line ? line.head : line
  const reached = at ?? beginning(organizationId)
  const isSame = reached.organizationId === organizationId
  if ('head' in line) {
    if (isSame && reached.seq === line.head.seq && reached.hash === line.head.hash) return reached
    throw new Failure(`Line ${number}: the head is not the entry before it, so entries are missing.`)
  }
  if (!isSame) throw new Failure(`Line ${number}: the entries of ${reached.organizationId} end without a head.`)
  const entry = { ...line, at: Date.parse(line.at) }
  const fault = chainFault(entry, reached)
  if (fault !== null) throw new Failure(`Line ${number}: ${fault}.`)
  reached.names.entry(entry)
  return { ...reached, seq: line.seq, hash: line.hash }
}

const deletions: readonly string[] = ['person.delete', 'organization.delete']

/** Collects the pseudonyms in one organization's log, and the names that the export gives for them. */
export function namesOf(organizationId: string) {
  const used = new Set<string>()
  const listed = new Map<string, string>()
  const faults: string[] = []
  let deleted = 0

  function faultOf(name: AuditName): string | null {
    const { stand } = name
    if (name.organizationId !== organizationId)
      return `${stand} is a name of ${name.organizationId}, but is listed under ${organizationId}`
    if (listed.has(stand)) return `${stand} has two names, ${listed.get(stand)} and ${said(name)}`
    if (isCovered(name) && !name.salt)
      return `${stand} has no salt, so ${said(name)} cannot be checked: export the log with a process of this release`
    return isTrue(name) ? null : `${stand} does not match ${said(name)}: the name was changed`
  }

  return {
    entry(entry: AuditEntry) {
      for (const stand of standsIn(entry)) used.add(stand)
      if (deletions.includes(entry.verb)) deleted += 1
    },
    name(name: AuditName, line: number) {
      const fault = faultOf(name)
      if (fault !== null) faults.push(`Line ${line}: ${fault}.`)
      listed.set(name.stand, said(name))
    },
    faults: (): readonly string[] => faults,
    /** Returns one line per fact about the names, if none was changed. */
    summary(): string[] {
      if (used.size === 0) return []
      const named = [...used].filter((stand) => listed.has(stand))
      const covered = named.filter((stand) => isCovered({ stand })).length
      const [open, gone] = [named.length - covered, used.size - named.length]
      return [
        `${organizationId}: ${counted(covered, 'name')} behind pseudonyms, none changed.`,
        ...(open === 0 ? [] : [`${organizationId}: ${counted(open, 'name')} of an earlier release: ${unseen}`]),
        ...(gone === 0 ? [] : [`${organizationId}: ${counted(gone, 'name')} removed. ${deletionsNote(deleted)}`]),
      ]
    },
  }
}

const unseen = 'not covered, so a change to them is not detected.'

const deletionsNote = (deletions: number): string =>
  `The log contains ${deletions === 0 ? 'no deletion' : counted(deletions, 'deletion')}; ` +
  'deleting an account also removes its name from organizations of earlier memberships and invitations.'

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
const said = ({ name }: AuditName): string => JSON.stringify(name)

/** A line of an export: an entry, a pseudonym's name, or the head of the chain before the first entry. */
export type Line =
  | { name: AuditName }
  | { head: ChainHead & { organizationId: string } }
  | (Omit<LinkedEntry, 'at'> & { at: string })

const fieldsOfHead = ['organizationId', 'seq', 'hash']
const fieldsOfName = ['organizationId', 'stand', 'name', 'salt']
const fieldsOfActor = ['kind', 'id', 'label']
const fieldsOfEntry = [
  ...['organizationId', 'seq', 'at', 'actor', 'verb', 'target', 'reason', 'details', 'requestId'],
  ...['id', 'previousHash', 'hash'],
]

const isMadeOf = (value: unknown, fields: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).every((field) => fields.includes(field))

const isTime = (at: unknown): boolean =>
  typeof at === 'string' && !Number.isNaN(Date.parse(at)) && new Date(at).toISOString() === at

/**
 * Parses a line. It rejects data that no hash covers: unknown fields, and repeated fields, which readers resolve
 * differently.
 */
export function lineOf(text: string, number: number): Line {
  const line = jsonOf(text) ?? null
  const { head, name, actor, at } = (line ?? {}) as Record<string, unknown>
  const isHead = isMadeOf(line, ['head']) && isMadeOf(head, fieldsOfHead)
  const isOfName = isMadeOf(line, ['name']) && isMadeOf(name, fieldsOfName) && isName(name)
  const isEntry = isMadeOf(line, fieldsOfEntry) && isMadeOf(actor, fieldsOfActor) && isTime(at)
  if ((isHead || isOfName || isEntry) && JSON.stringify(line) === text) return line as Line
  throw new Failure(`Line ${number} is not a line of an export in JSON lines.`)
}

function isName(name: unknown): boolean {
  const { organizationId, stand, name: text, salt = null } = name as Record<string, unknown>
  return [organizationId, stand, text, salt ?? ''].every((each) => typeof each === 'string')
}
