import { mkdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { devnetClock } from '../devnet-clock'

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

const buildMsMax = 15 * 60_000

/** Runs `make` while no other process runs under the same `name`, so two first starts share one build. */
export async function withLock<T>(name: string, make: () => Promise<T>): Promise<T> {
  const path = join(await cacheFolder(), `${name}.lock`)
  while (!(await takeLock(path))) await Bun.sleep(200)
  try {
    return await make()
  } finally {
    await unlink(path).catch(() => {})
  }
}

async function takeLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${process.pid}`, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const holder = Number(await readFile(path, 'utf8').catch(() => '0'))
  if ((holder > 0 && !isAlive(holder)) || (await ageMs(path)) > buildMsMax) await removeStaleLock(path, holder)
  return false
}

async function ageMs(path: string): Promise<number> {
  return devnetClock() - (await stat(path).catch(() => ({ mtimeMs: devnetClock() }))).mtimeMs
}

/** Removes the lock of a dead process, and puts it back if a living process took it in between. */
async function removeStaleLock(path: string, holder: number): Promise<void> {
  const aside = `${path}.${process.pid}`
  await rename(path, aside).catch(() => {})
  const current = Number(await readFile(aside, 'utf8').catch(() => `${holder}`))
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
