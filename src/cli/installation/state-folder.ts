import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..', '..', '..')

/** Where a devnet of this checkout keeps its data. */
export const stateRoot = (): string => process.env['SWITCHYARD_DIR'] || join(root, '.switchyard')

/** Who uses a state folder, and where its parts are. Written when it is taken and when more is known. */
export type Owner = {
  pid: number
  bornAt: string | null
  apiUrl?: string
  mongodbUrl?: string
  mongodbDatabase?: string
  natsUrl?: string
}

export type StateFolder = { path: string; note(more: Partial<Owner>): void; release(): void }

const lockIn = (folder: string): string => join(folder, 'running.json')
const besideMax = 50

/** The first free one of `.switchyard`, `.switchyard/beside-2`, … `taken` tells of each that is not free. */
export function takeStateFolder(taken: (folder: string, owner: Owner) => void): StateFolder {
  const first = stateRoot()
  for (let n = 1; n <= besideMax; n++) {
    const path = n === 1 ? first : join(first, `beside-${n}`)
    mkdirSync(path, { recursive: true })
    if (take(lockIn(path))) return held(path)
    const owner = ownerOf(path)
    if (owner) taken(path, owner)
  }
  throw new Error(`${besideMax} devnets run already: stop one of them.`)
}

/** Whoever has the folder now; null when nobody alive has. */
export function ownerOf(folder: string): Owner | null {
  try {
    const owner = JSON.parse(readFileSync(lockIn(folder), 'utf8')) as Owner
    return isAlive(owner) ? owner : null
  } catch {
    return null
  }
}

function held(path: string): StateFolder {
  let owner = ourselves()
  return {
    path,
    note(more) {
      owner = { ...owner, ...more }
      writePrivately(lockIn(path), owner)
    },
    release: () => rmSync(lockIn(path), { force: true }),
  }
}

/** Exclusive creation decides between two that start at once; the lock of the dead is taken away first. */
function take(lock: string, triesLeft = 3): boolean {
  try {
    const file = openSync(lock, 'wx', 0o600)
    writeSync(file, JSON.stringify(ourselves()))
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
    // Somebody else was faster with it.
  }
  rmSync(aside, { force: true })
  return take(lock, triesLeft - 1)
}

/** Written by its maker a moment after it is made: an empty one is somebody's who lives. */
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

const ourselves = (): Owner => ({ pid: process.pid, bornAt: bornAt(process.pid) })

function isAlive({ pid, bornAt: then }: Owner): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return then === null || bornAt(pid) === then
}

/** When a process began, in ticks since the start of the machine: tells it from a later one of the same number. */
function bornAt(pid: number): string | null {
  const stat = readText(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

/** Whole or not at all, and readable by its owner only: it holds keys. */
export function writePrivately(path: string, content: object): void {
  const draft = `${path}.${process.pid}.new`
  rmSync(draft, { force: true })
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, path)
}
