import { mkdir, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { repeat } from '../../domain/repeat'
import { devnetClock } from '../devnet-clock'
import type { Report } from './server'

/** The folder for fetched and built programs. It is outside the checkout, so other clones use it too. */
export async function cacheFolder(): Promise<string> {
  const folder = cachePath()
  try {
    await mkdir(folder, { recursive: true })
    return folder
  } catch (cause) {
    throw new Error(`The cache folder ${folder} cannot be created. Set SWITCHYARD_CACHE to another folder.`, {
      cause,
    })
  }
}

function cachePath(): string {
  if (process.env.SWITCHYARD_CACHE) return process.env.SWITCHYARD_CACHE
  if (process.env.XDG_CACHE_HOME) return join(process.env.XDG_CACHE_HOME, 'switchyard')
  // PostgreSQL refuses to run as root, and the account that runs it instead cannot read /root.
  if (process.getuid?.() === 0 && process.platform === 'linux') return '/var/cache/switchyard'
  return join(homedir(), '.cache', 'switchyard')
}

/** A holder renews its lock until its work is done. A new program may get a dead holder’s id. */
const [renewedMs, unrenewedMsMax] = [60_000, 15 * 60_000]
/** A lock without a holder is being written, or its writer died. */
const emptyMsMax = 10_000

/**
 * Runs `make` alone among the processes that use the same `name`. Two first starts then share one build.
 *
 * @param report Gets one line if another process is waited for.
 */
export async function withLock<T>(name: string, make: () => Promise<T>, report: Report = console.error): Promise<T> {
  const path = join(await cacheFolder(), `${name}.lock`)
  for (let holder = await takeLock(path), n = 0; holder !== null; holder = await takeLock(path), n++) {
    if (n === 1) report(`waiting for ${holder ? `process ${holder}` : 'a process'}, which prepares ${name} (${path})`)
    await Bun.sleep(200)
  }
  const renewal = repeat({
    everyMs: renewedMs,
    work: () => utimes(path, devnetClock() / 1000, devnetClock() / 1000),
    onTrouble: () => {}, // the lock was removed by hand
  })
  renewal.start()
  try {
    return await make()
  } finally {
    await renewal.stop()
    if ((await holderOf(path)) === process.pid) await unlink(path).catch(() => {})
  }
}

/** Returns null if this process has the lock now, or the id of its holder, which is 0 if it is unknown. */
async function takeLock(path: string): Promise<number | null> {
  try {
    await writeFile(path, `${process.pid}`, { flag: 'wx' })
    return null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const holder = await holderOf(path)
  const isLeft = holder > 0 ? !isAlive(holder) : (await ageMs(path)) > emptyMsMax
  if (isLeft || (await ageMs(path)) > unrenewedMsMax) await removeStaleLock(path, holder)
  return holder
}

/** Returns the id in the lock file. It is 0 without a file or a number. */
const holderOf = async (path: string): Promise<number> => Number(await readFile(path, 'utf8').catch(() => '')) || 0

async function ageMs(path: string): Promise<number> {
  return devnetClock() - (await stat(path).catch(() => ({ mtimeMs: devnetClock() }))).mtimeMs
}

/** Removes the lock of a dead process, and puts it back if a living process took it in between. */
async function removeStaleLock(path: string, holder: number): Promise<void> {
  const aside = `${path}.${process.pid}`
  const isAside = await rename(path, aside).then(
    () => true,
    () => false,
  )
  const current = isAside ? await holderOf(aside) : holder
  if (current !== holder) await writeFile(path, `${current}`, { flag: 'wx' }).catch(() => {})
  await unlink(aside).catch(() => {})
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
