import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../src/devnet/servers/free-port'
import { runProgram } from '../../src/devnet/servers/run-program'
import { spawnChild } from '../../src/devnet/servers/spawn-child'
import { untilReady } from '../../src/devnet/servers/until-ready'

const packages = ['redis-tools', 'libjemalloc2', 'liblua5.1-0', 'liblzf1', 'lua-bitop', 'lua-cjson']

/**
 * Starts Redis with every write on disk before its response. The program comes from the PATH or from Debian's package.
 */
export async function startRedis(cache: string, dir: string) {
  const port = await freePort()
  const settings = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--maxmemory-policy', 'noeviction']
  const { path, env } = await program(cache)
  mkdirSync(dir, { recursive: true })
  const child = spawnChild([path, '--port', `${port}`, '--bind', '127.0.0.1', '--dir', dir, ...settings], {
    env: { ...process.env, ...env },
  })
  await untilReady('Redis', child, () => answers(port))
  const version = /v=(\S+)/.exec(await runProgram([path, '--version'], { env: { ...process.env, ...env } }))?.[1]
  return { version, port, pid: child.pid, stop: () => child.stop() }
}

async function answers(port: number): Promise<boolean> {
  const heard = Promise.withResolvers<boolean>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_, bytes) => heard.resolve(bytes.toString().startsWith('+PONG')),
      error: () => heard.resolve(false),
    },
  }).catch(() => null)
  if (!socket) return false
  socket.write('PING\r\n')
  const isAnswered = await Promise.race([heard.promise, Bun.sleep(500).then(() => false)])
  socket.end()
  return isAnswered
}

async function program(cache: string): Promise<{ path: string; env: Record<string, string> }> {
  const found = Bun.which('redis-server')
  if (found) return { path: found, env: {} }
  const dir = join(cache, 'redis')
  // The program's behaviour depends on its name. Under the package's name it would check a file instead of serving.
  const path = join(dir, 'root/usr/bin/redis-server')
  if (!(await Bun.file(path).exists())) {
    mkdirSync(dir, { recursive: true })
    await runProgram(['apt-get', '-qq', 'download', ...packages], { cwd: dir })
    for (const name of readdirSync(dir).filter((one) => one.endsWith('.deb')))
      await runProgram(['dpkg-deb', '-x', name, 'root'], { cwd: dir })
    await runProgram(['ln', '-sf', 'redis-check-rdb', path])
  }
  const [libraries] = readdirSync(join(dir, 'root/usr/lib')).filter((one) => one.includes('-linux-gnu'))
  return { path, env: { LD_LIBRARY_PATH: join(dir, 'root/usr/lib', libraries ?? '') } }
}
