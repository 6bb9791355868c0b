import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { type ChainHead, chainFault, emptyChain } from '../../domain/tenant/audit-chain'
import { operatorAccess } from '../client/operator-api'
import { reachService } from '../client/reach'
import { Failure } from '../terminal/failure'
import { type Line, lineOf } from './lines'
import { namesOf } from './names'

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
export async function verifyAudit(file: string | undefined, noted: readonly ChainHead[]): Promise<void> {
  const source = file === undefined ? await download('jsonl') : createReadStream(file)
  const missing = new Set(noted)
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
