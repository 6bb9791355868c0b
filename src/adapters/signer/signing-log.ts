import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { BoundedMap } from '../../domain/bounded-map'
import type { ChainId } from '../../domain/chain/chain'
import type { Hash } from '../../domain/chain/hex'
import type { LogHead, SignedOrder, SigningEntry, SigningLog } from '../../ports/signer'
import { lockBeside } from './log-lock'

/** What the first entry names as the one before it. */
const genesis = '0'.repeat(64)
const lineBreak = 10
/** How many routes are remembered, which is far more than there are orders that have not lapsed. */
const routesMax = 200_000

/** A line of the log that does not follow from those before it. */
export class BrokenSigningLog extends Error {
  override name = 'BrokenSigningLog'

  constructor(readonly line: number) {
    super(`Line ${line} of the signing log does not follow from the line before it`)
  }
}

type Line = { seq: number; at: string; previous: string } & SigningEntry

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const keyOf = (chainId: ChainId, routeId: Hash): string => `${chainId}:${routeId}`

/** What a whole log says: how many entries of each kind, and the hash that the last one has. */
type LogSummary = { signed: number; refused: number; last: string; bytes: number }

/**
 * Reads a signing log and follows its chain of hashes: each line holds the SHA-256 of the line before it, so that none
 * can be changed, left out or moved without changing every line after it. A last line that a crash cut short was never
 * answered and does not count.
 *
 * @throws {BrokenSigningLog}
 */
export async function readSigningLog(
  path: string,
  onEntry: (entry: SigningEntry) => void = () => {},
): Promise<LogSummary> {
  const summary = { signed: 0, refused: 0, last: genesis, bytes: 0 }
  let seq = 0
  for await (const line of wholeLines(path)) {
    const entry = lineOf(line)
    seq += 1
    if (entry?.seq !== seq || entry.previous !== summary.last) throw new BrokenSigningLog(seq)
    summary.last = digestOf(line)
    summary.bytes += Buffer.byteLength(line) + 1
    summary[entry.event === 'SIGNED' ? 'signed' : 'refused'] += 1
    onEntry(entry)
  }
  return summary
}

/** The lines of a file that end with a line break. */
async function* wholeLines(path: string): AsyncGenerator<string> {
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(path)) {
    rest = Buffer.concat([rest, chunk as Buffer])
    for (let end = rest.indexOf(lineBreak); end >= 0; end = rest.indexOf(lineBreak)) {
      yield rest.subarray(0, end).toString('utf8')
      rest = rest.subarray(end + 1)
    }
  }
}

function lineOf(text: string): Line | null {
  try {
    return JSON.parse(text) as Line
  } catch {
    return null
  }
}

/**
 * The signer's log in a file of its own, to which it only adds. An entry is on the disk before it is answered.
 *
 * @param onBroken Called once, when a write failed: nothing more is written until the log is opened again.
 * @throws {BrokenSigningLog} when somebody changed the file.
 * @throws {SigningLogInUse} while another signer has it open.
 */
export async function openSigningLog(
  path: string,
  now: () => number = Date.now,
  onBroken: (error: unknown) => void = () => {},
): Promise<SigningLog & Opened> {
  const routes = new BoundedMap<string, SignedOrder>(routesMax)
  const note = (entry: SigningEntry): void => {
    if (entry.event === 'SIGNED')
      routes.set(keyOf(entry.chainId, entry.routeId), { orderId: entry.orderId, deadline: entry.deadline })
  }
  const unlock = await lockBeside(path)
  const file = await open(path, 'a', 0o600)
  const summary = await readSigningLog(path, note).catch(async (error) => {
    await file.close()
    await unlock()
    throw error
  })
  await file.truncate(summary.bytes)
  let seq = summary.signed + summary.refused
  let previous = summary.last
  let size = summary.bytes
  let broken: unknown = null
  let writing: Promise<void> = Promise.resolve()

  async function write(entry: SigningEntry): Promise<void> {
    // After a failed write nobody knows what the file holds, so nothing more is signed until it is read again.
    if (broken) throw broken
    const line = JSON.stringify({ seq: seq + 1, at: new Date(now()).toISOString(), previous, ...entry } satisfies Line)
    try {
      if ((await file.stat()).size !== size) throw new Error('Somebody else writes to the signing log')
      await file.appendFile(`${line}\n`)
      await file.datasync()
    } catch (error) {
      broken = error
      onBroken(error)
      throw error
    }
    seq += 1
    previous = digestOf(line)
    size += Buffer.byteLength(line) + 1
    note(entry)
  }

  return {
    lastSigned: (chainId, routeId) => routes.get(keyOf(chainId, routeId)) ?? null,
    append(entry) {
      const written = writing.then(() => write(entry))
      writing = written.catch(() => {})
      return written
    },
    head: () => ({ count: seq, last: previous }),
    async check() {
      if (broken) throw broken
      if ((await stat(path)).ino !== (await file.stat()).ino) throw new Error('The signing log was moved away')
    },
    async close() {
      await writing
      await file.close()
      await unlock()
    },
  }
}
type Opened = {
  head(): LogHead
  /** @throws while nothing can be written down, and so nothing signed. */
  check(): Promise<void>
  close(): Promise<void>
}
