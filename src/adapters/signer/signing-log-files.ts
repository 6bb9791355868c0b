import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { jsonOf } from '../../domain/json'
import type { SigningEntry } from '../../ports/signer'

/** The previous hash in the first entry. */
const genesis = '0'.repeat(64)
const lineBreak = 10
const archiveForm = /^(.*)\.(\d{12})$/

/** A line of the log that does not follow from the lines before it. */
export class BrokenSigningLog extends Error {
  override name = 'BrokenSigningLog'

  /** @param file Name of the full file. Null for the current file. */
  constructor(
    readonly line: number,
    file: string | null,
  ) {
    super(`Line ${line} of ${file ?? 'the signing log'} does not follow from the line before it`)
  }
}

export type Line = { seq: number; at: string; previous: string } & SigningEntry

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns the path of a full file: beside the log, named by the number of its first entry. */
export const archiveOf = (path: string, firstSeq: number): string => `${path}.${String(firstSeq).padStart(12, '0')}`

/** A file of the log, and the number of its first entry, from its name. Null for the current file. */
type LogFile = { path: string; firstSeq: number | null }

/** Returns all existing files of a log, the oldest first. The path of a full file means that file alone. */
export async function filesOf(path: string): Promise<LogFile[]> {
  const own = archiveForm.exec(path)?.[2]
  if (own) return [{ path, firstSeq: Number(own) }]
  const names = await readdir(dirname(path)).catch(() => [])
  const archives = names
    .flatMap((name) => {
      const [, of, first] = archiveForm.exec(name) ?? []
      return of === basename(path) ? [{ path: join(dirname(path), name), firstSeq: Number(first) }] : []
    })
    .toSorted((one, other) => one.firstSeq - other.firstSeq)
  // A crash can come between renaming a full file and creating the next.
  const isThere =
    archives.length === 0 ||
    (await stat(path).then(
      () => true,
      () => false,
    ))
  return isThere ? [...archives, { path, firstSeq: null }] : archives
}

/** Summary of a log: the entries of each kind, the number and hash of the last entry, and the bytes of each file. */
type LogSummary = {
  signed: number
  refused: number
  /** Number of the first entry that was read. Older entries were moved away, or were not requested. */
  firstSeq: number
  count: number
  last: string
  files: { path: string; firstSeq: number; bytes: number }[]
}

/**
 * Reads a signing log and follows its chain of hashes through all its files. Each line holds the SHA-256 of the line
 * before it, so changing, dropping or moving a line changes every line after it. A last line that a crash cut short was
 * never answered and does not count. The oldest files may have been moved away.
 *
 * @param since Skips full files whose entries are all older, in milliseconds since 1970, but never the newest full
 * file.
 * @throws {BrokenSigningLog}
 */
export async function readSigningLog(
  path: string,
  onEntry: (entry: SigningEntry, at: number) => void = () => {},
  since = 0,
): Promise<LogSummary> {
  const files = await neededOf(await filesOf(path), since)
  const firstSeq = files[0]!.firstSeq ?? 1
  const summary: LogSummary = { signed: 0, refused: 0, firstSeq, count: firstSeq - 1, last: genesis, files: [] }
  /** The hash before the first file that is read is unknown, unless the log begins with it. */
  let isBegun = firstSeq === 1
  for (const file of files) {
    const name = file.firstSeq === null ? null : basename(file.path)
    const [begin, read] = [summary.count + 1, { path: file.path, firstSeq: summary.count + 1, bytes: 0 }]
    if (file.firstSeq !== null && file.firstSeq !== begin) throw new BrokenSigningLog(1, name)
    for await (const line of wholeLines(file.path)) {
      const entry = jsonOf(line) as Line | null | undefined
      summary.count += 1
      const isNext = entry?.seq === summary.count && (!isBegun || entry.previous === summary.last)
      if (!isNext) throw new BrokenSigningLog(summary.count - begin + 1, name)
      isBegun = true
      summary.last = digestOf(line)
      read.bytes += Buffer.byteLength(line) + 1
      summary[entry.event === 'SIGNED' ? 'signed' : 'refused'] += 1
      onEntry(entry, Date.parse(entry.at))
    }
    summary.files.push(read)
  }
  return summary
}

/** Returns the files from the first entry of a time on: at least the newest full file and all later ones. */
async function neededOf(files: readonly LogFile[], since: number): Promise<LogFile[]> {
  const lastFull = files.findLastIndex(({ firstSeq }) => firstSeq !== null)
  let from = since > 0 ? Math.max(0, lastFull) : 0
  while (from > 0 && (await beganAt(files[from]!.path)) > since) from -= 1
  return files.slice(from)
}

/**
 * Returns when the first entry of a file was written. Infinity if that cannot be read, and more files are then read.
 */
async function beganAt(path: string): Promise<number> {
  for await (const line of wholeLines(path))
    return Date.parse((jsonOf(line) as Line | null | undefined)?.at ?? '') || Number.POSITIVE_INFINITY
  return Number.POSITIVE_INFINITY
}

/** Returns the lines of a file that end with a line break. */
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
