import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { network } from '../../domain/chain/chain'

const root = join(import.meta.dir, '..', '..', '..')

const usualRoot = join(root, '.switchyard')

/** Returns the folder for this checkout's devnet data. */
export const stateRoot = (): string => process.env['SWITCHYARD_DIR'] || usualRoot

/** Returns the prefix that a command in another terminal needs to find the devnet in this folder. */
export const findingIt = (folder: string): string => {
  const path = resolve(folder)
  const ofNetwork = network === 'mainnet' ? '' : `NETWORK=${network} `
  return path === usualRoot ? ofNetwork : `${ofNetwork}SWITCHYARD_DIR=${/^[\w./-]+$/.test(path) ? path : quoted(path)} `
}

/** Quotes a text as one shell word. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The process that uses a state folder, and its servers if known. Stored in the folder. */
type Owner = {
  pid: number
  bornAt: string | null
  apiUrl?: string
  mongodbUrl?: string
  mongodbDatabase?: string
  natsUrl?: string
}

export type StateFolder = { path: string; note(more: Partial<Owner>): void; release(): void }

const lockIn = (folder: string): string => join(folder, 'running.json')
const foldersMax = 50

/**
 * Takes the first free folder of `.switchyard`, `.switchyard/beside-2` and so on. Calls `onInUse` for each folder in
 * use.
 */
export function takeStateFolder(onInUse: (folder: string, owner: Owner) => void): StateFolder {
  const first = stateRoot()
  for (let n = 1; n <= foldersMax; n++) {
    const path = n === 1 ? first : join(first, `beside-${n}`)
    mkdirSync(path, { recursive: true })
    if (takeLock(lockIn(path))) return stateFolder(path)
    const owner = ownerOf(path)
    if (owner) onInUse(path, owner)
  }
  throw new Error(`${foldersMax} devnets run already; stop one of them.`)
}

/** @returns the living process that uses the folder, or null. */
export function ownerOf(folder: string): Owner | null {
  try {
    const owner = JSON.parse(readFileSync(lockIn(folder), 'utf8')) as Owner
    return isAlive(owner) ? owner : null
  } catch {
    return null
  }
}

function stateFolder(path: string): StateFolder {
  let owner = thisProcess()
  return {
    path,
    note(more) {
      owner = { ...owner, ...more }
      writePrivately(lockIn(path), owner)
    },
    release: () => rmSync(lockIn(path), { force: true }),
  }
}

/** Creates the lock file exclusively, so only one of two starts succeeds. A dead process's lock is removed first. */
function takeLock(lock: string, triesLeft = 3): boolean {
  try {
    const file = openSync(lock, 'wx', 0o600)
    writeSync(file, JSON.stringify(thisProcess()))
    closeSync(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const text = readText(lock)
  if (triesLeft === 0 || isAliveText(text)) return false
  const aside = `${lock}.${process.pid}`
  try {
    renameSync(lock, aside)
    if (readText(aside) !== text) renameSync(aside, lock)
  } catch {
    // Another process removed the lock first.
  }
  rmSync(aside, { force: true })
  return takeLock(lock, triesLeft - 1)
}

/** A lock is written a moment after its creation, so an empty one belongs to a living process. */
function isAliveText(text: string | null): boolean {
  if (text === null) return false
  try {
    return isAlive(JSON.parse(text) as Owner)
  } catch {
    return text === ''
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

const thisProcess = (): Owner => ({ pid: process.pid, bornAt: bornAt(process.pid) })

function isAlive({ pid, bornAt: then }: Owner): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return then === null || bornAt(pid) === then
}

/**
 * Returns a process's start time, in ticks since the machine started. It distinguishes the process from a later one
 * with the same id.
 */
function bornAt(pid: number): string | null {
  const stat = readText(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

/** Writes the file atomically and readable only by its owner, because it holds keys. */
export function writePrivately(path: string, content: object): void {
  const draft = `${path}.${process.pid}.new`
  rmSync(draft, { force: true })
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, path)
}
