import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, stat, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { cacheFolder, withLock } from './cache-folder.ts'
import { freePort } from './free-port.ts'
import { runProgram, runStep } from './run-program.ts'
import type { Report, Server } from './server.ts'
import { spawnChild } from './spawn-child.ts'
import { startMsMax, untilReady } from './until-ready.ts'

/** The folder in the cache. A new name makes every machine install it again. */
const name = 'documentdb-18-ordered'
const script = join(import.meta.dir, 'documentdb.sh')
const isRoot = process.getuid?.() === 0

/**
 * Settings that raise throughput. Acknowledged writes stay durable: fsync, synchronous_commit and full pages stay on.
 */
const settings = [
  'jit=off',
  'max_wal_size=2GB',
  'checkpoint_timeout=15min',
  'wal_compression=lz4',
  'default_toast_compression=lz4',
]

/** Writes do not wait for the disk. The data of a killed process is still there. */
const settingsOfDisposable = ['fsync=off', 'full_page_writes=off']

/**
 * Starts PostgreSQL with the DocumentDB extension for FerretDB. It refuses to run as root, so root runs it as the user
 * nobody.
 */
export async function startDocumentDb(dataDir: string, report: Report, isDisposable = false): Promise<Server> {
  const programs = await installed(report)
  const user = isRoot ? await nobody() : undefined
  const home = user ? await reachableFolder(dataDir, user, report) : resolve(dataDir)
  await runProgram([script, 'copy', programs, home])
  const data = join(home, 'data')
  await removeStaleLock(data)
  const port = await freePort()
  const child = spawnChild(
    [
      join(programs, 'root/usr/lib/postgresql/18/bin/postgres'),
      '-D',
      data,
      '-p',
      `${port}`,
      ...[...settings, ...(isDisposable ? settingsOfDisposable : [])].flatMap((setting) => ['-c', setting]),
    ],
    { cwd: '/', log: join(resolve(dataDir), 'postgres.log'), deathSignal: 'QUIT', ...(user && { user }) },
  )
  await untilReady('PostgreSQL', child, async () => {
    const lock = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
    return lock[0] === `${child.pid}` && lock[7]?.trim() === 'ready'
  })
  const password = (await readFile(join(home, 'password'), 'utf8')).trim()
  return {
    kind: 'PostgreSQL 18 with DocumentDB',
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    pid: child.pid,
    exited: child.exited,
    stop: () => child.stop('SIGINT'),
  }
}

async function installed(report: Report): Promise<string> {
  const programs = join(await cacheFolder(), name)
  if (await exists(join(programs, 'home'))) return programs
  return withLock(name, async () => {
    if (!(await exists(join(programs, 'home')))) {
      await runStep(report, 'fetching PostgreSQL with DocumentDB, as Debian packages (once, 46 MB)', () =>
        runProgram([script, 'install', programs]),
      )
    }
    return programs
  })
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

type User = { uid: number; gid: number }

async function nobody(): Promise<User> {
  const row = (await readFile('/etc/passwd', 'utf8')).split('\n').find((line) => line.startsWith('nobody:'))
  const [, , uid, gid] = row?.split(':') ?? []
  if (!uid || !gid)
    throw new Error('There is no account "nobody" that could run PostgreSQL; run this as an ordinary user.')
  return { uid: Number(uid), gid: Number(gid) }
}

/** The folder itself if `user` can enter it, or else a folder below /var/tmp, the same each time. */
async function reachableFolder(dataDir: string, user: User, report: Report): Promise<string> {
  const wanted = resolve(dataDir)
  await mkdir(wanted, { recursive: true })
  await chmod(wanted, (await stat(wanted)).mode | 0o011)
  const canReach = await runProgram(['test', '-x', wanted], { user }).then(
    () => true,
    () => false,
  )
  if (canReach) return join(wanted, 'documentdb')
  const elsewhere = `/var/tmp/switchyard-${createHash('sha256').update(wanted).digest('hex').slice(0, 12)}`
  await mkdir(elsewhere, { mode: 0o711 }).catch(() => {})
  const entry = await lstat(elsewhere)
  if (!entry.isDirectory() || entry.uid !== 0) {
    throw new Error(`${elsewhere} belongs to another user. Remove it, or run from a folder that every user can enter.`)
  }
  const [home, link] = [join(elsewhere, 'documentdb'), join(wanted, 'documentdb')]
  // If the folder was removed, the data of the earlier run is removed as well.
  if ((await readlink(link).catch(() => null)) !== home) {
    await untilUnused(join(home, 'data'))
    await rm(home, { recursive: true, force: true })
    await symlink(home, link)
  }
  report(`the account that runs PostgreSQL cannot enter ${wanted}, so its data is in ${elsewhere}`)
  return home
}

/**
 * PostgreSQL refuses to start while any process has the id in its lock file. After a kill or a reboot, this may be
 * another program. The file is removed once no process works in the folder.
 */
async function removeStaleLock(data: string): Promise<void> {
  await untilUnused(data)
  await rm(join(data, 'postmaster.pid'), { force: true })
}

async function untilUnused(data: string): Promise<void> {
  const until = performance.now() + startMsMax
  let holder = await processIn(data)
  while (holder !== null && performance.now() < until) {
    await Bun.sleep(50)
    holder = await processIn(data)
  }
  if (holder !== null) throw new Error(`The database in ${data} is in use by process ${holder}; stop that first.`)
}

async function processIn(folder: string): Promise<string | null> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    if ((await readlink(`/proc/${pid}/cwd`).catch(() => '')) === folder) return pid
  }
  return null
}
