import { Database, SQLiteError } from 'bun:sqlite'
import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BoundedMap } from '../../domain/bounded-map'
import type { ChainId } from '../../domain/chain/chain'
import type { Hash } from '../../domain/chain/hex'
import type { LogHead } from '../../domain/signer-log'
import type { SignedOrder, SigningEntry, SigningLog } from '../../ports/signer'
import { archiveOf, digestOf, filesOf, type Line, readSigningLog } from './signing-log-files'

/** Number of remembered routes, far more than there are orders that have not expired. */
const routesMax = 200_000
/** Size of a file before the next one begins, in bytes: about a hundred thousand entries. */
const fileBytesMax = 64 * 2 ** 20
/**
 * How far back entries are read at startup, in milliseconds. The shares of organizations count a day, and orders are
 * valid for less.
 */
const rememberedMs = 86_400_000

const keyOf = (chainId: ChainId, routeId: Hash): string => `${chainId}:${routeId}`

type Options = {
  now: () => number
  /** Called once, when a write failed. Nothing more is written until the log is opened again. */
  onBroken?: (error: unknown) => void
  /** Called at startup for the entries of the last day, and for some earlier ones. */
  onEntry?: (entry: SigningEntry, at: number) => void
  bytesMax?: number
}

/**
 * The signer's append-only log, in its own files. An entry is on the disk before the signer answers. A full file is
 * kept beside the log under a new name, and the chain of hashes continues in the next file.
 *
 * @throws {BrokenSigningLog} if a file of the last day, or the newest full file, was changed.
 * @throws {SigningLogInUse} while another signer has the log open.
 */
export async function openSigningLog(path: string, options: Options): Promise<SigningLog & Opened> {
  const { now, onBroken = () => {}, onEntry = () => {}, bytesMax = fileBytesMax } = options
  const routes = new BoundedMap<string, SignedOrder>(routesMax)
  const note = (entry: SigningEntry): void => {
    if (entry.event === 'SIGNED')
      routes.set(keyOf(entry.chainId, entry.routeId), { orderId: entry.orderId, deadline: entry.deadline })
  }
  const noteRead = (entry: SigningEntry, at: number): void => {
    note(entry)
    onEntry(entry, at)
  }
  const unlock = await lockBeside(path)
  const begun = await begunFile(path, noteRead, now() - rememberedMs).catch(async (error) => {
    await unlock()
    throw error
  })
  let { file, size, firstSeq, count, last } = begun
  let broken: unknown = null
  let writing: Promise<void> = Promise.resolve()

  async function write(entry: SigningEntry): Promise<void> {
    // After a failed write the content of the file is uncertain, so nothing more is signed until it is read again.
    if (broken) throw broken
    const line = JSON.stringify({
      seq: count + 1,
      at: new Date(now()).toISOString(),
      previous: last,
      ...entry,
    } satisfies Line)
    const bytes = Buffer.byteLength(line) + 1
    try {
      if ((await file.stat()).size !== size) throw new Error('Another process writes to the signing log')
      if (size > 0 && size + bytes > bytesMax) await beginNext()
      await file.appendFile(`${line}\n`)
      await file.datasync()
    } catch (error) {
      broken = error
      onBroken(error)
      throw error
    }
    count += 1
    last = digestOf(line)
    size += bytes
    note(entry)
  }

  /**
   * Puts the full file aside. A process that dies in between leaves no file at the path, and the next start creates
   * one.
   */
  async function beginNext(): Promise<void> {
    await putAside(path, firstSeq)
    await file.close()
    file = await open(path, 'ax', 0o600)
    await syncFolderOf(path)
    size = 0
    firstSeq = count + 1
  }

  return {
    lastSigned: (chainId, routeId) => routes.get(keyOf(chainId, routeId)) ?? null,
    append(entry) {
      const written = writing.then(() => write(entry))
      writing = written.catch(() => {})
      return written
    },
    head: () => ({ count, last }),
    async check() {
      await writing
      if (broken) throw broken
      if ((await stat(path)).ino !== (await file.stat()).ino) throw new Error('The signing log was moved or replaced')
    },
    async close() {
      await writing
      await file.close()
      await unlock()
    },
  }
}

/** Reads the log and opens the current file, without a last line that a crash cut short. */
async function begunFile(path: string, note: NonNullable<Options['onEntry']>, since: number) {
  const file = await open(path, 'a', 0o600)
  try {
    const { count, last, files } = await readSigningLog(path, note, since)
    const { bytes, firstSeq } = files.at(-1)!
    await file.truncate(bytes)
    return { file, size: bytes, firstSeq, count, last }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Renames a full file, and never over an existing one. */
async function putAside(path: string, firstSeq: number): Promise<void> {
  const to = archiveOf(path, firstSeq)
  if ((await filesOf(path)).some((each) => each.path === to)) throw new Error('The signing log was already put aside')
  await rename(path, to)
}

async function syncFolderOf(path: string): Promise<void> {
  const folder: FileHandle = await open(dirname(path), 'r')
  await folder.sync().finally(() => folder.close())
}

type Opened = {
  head(): LogHead
  /** @throws While nothing can be logged, and so nothing signed. */
  check(): Promise<void>
  close(): Promise<void>
}

/** Two signers with one log would each sign orders that the other has not recorded. */
class SigningLogInUse extends Error {
  override name = 'SigningLogInUse'

  constructor() {
    super('Another signer uses this signing log: stop it first, or name another file in SIGNER_LOG_PATH')
  }
}

/** Keeps a reference to each lock. The garbage collector would otherwise release it. */
const held = new Set<Database>()

/**
 * Holds a lock for the lifetime of this process: the operating system's own lock on an empty file beside the log.
 * SQLite takes it in one step and follows the rules for these locks. The system releases it however the process ends,
 * so no stale lock is left for an operator to judge. It works on one machine only.
 *
 * @returns A function that releases the lock.
 * @throws {SigningLogInUse}
 */
async function lockBeside(path: string): Promise<() => Promise<void>> {
  const lock = new Database(`${path}.locked`, { create: true })
  try {
    lock.run('PRAGMA busy_timeout = 0')
    lock.run('BEGIN EXCLUSIVE')
    lock.run('PRAGMA user_version = 1') // on a file that this process may not write, the exclusive lock alone locks nothing
  } catch (error) {
    lock.close()
    throw error instanceof SQLiteError && error.code === 'SQLITE_BUSY' ? new SigningLogInUse() : error
  }
  held.add(lock)
  return async () => {
    lock.close()
    held.delete(lock)
  }
}
