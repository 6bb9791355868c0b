import { mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { startDocumentDb } from './documentdb.ts'
import { claimPort } from './free-port.ts'
import { goProgram, mayBuild } from './go-program.ts'
import { answersPing } from './mongo-ping.ts'
import type { Server, ServerOptions } from './server.ts'
import { spawnChild } from './spawn-child.ts'
import { untilReady } from './until-ready.ts'

const source = { path: 'github.com/FerretDB/FerretDB/v2/cmd/ferretdb', version: '2.7.0', name: 'ferretdb' }

/** FerretDB only translates. More threads would wait for each other and take time from the database and the service. */
const threads = Math.max(1, Math.floor(availableParallelism() / 4))

/** Starts FerretDB on PostgreSQL with DocumentDB: two processes that are one server. If one ends, so does the other. */
export async function startFerretDb(options: ServerOptions): Promise<Server> {
  const { dataDir, port: wanted, report = () => {}, isDisposable } = options
  if (!(await mayBuild(source))) throw new Error('Go is missing. It is needed to build FerretDB.')
  const folder = resolve(dataDir)
  await mkdir(folder, { recursive: true })
  const port = await claimPort(wanted, 'MongoDB')
  const [program, postgres] = await bothOrNeither(
    goProgram(source, report),
    startDocumentDb(folder, report, isDisposable),
  )
  const child = spawnChild(
    [
      program,
      '--no-auth',
      '--telemetry=disable',
      '--log-level=ERROR',
      '--debug-addr=',
      `--listen-addr=127.0.0.1:${port}`,
      `--state-dir=${folder}`,
    ],
    {
      env: { GOMAXPROCS: `${threads}`, ...process.env, FERRETDB_POSTGRESQL_URL: postgres.url },
      log: join(folder, 'ferretdb.log'),
    },
  )
  const url = `mongodb://127.0.0.1:${port}/`
  await untilReady('FerretDB', child, () => answersPing(url)).catch(async (error) => {
    await postgres.stop()
    throw error
  })
  const exited = Promise.race([child.exited, postgres.exited]).then(async (code) => {
    await Promise.all([child.stop(), postgres.stop()])
    return code
  })
  const stop = async () => {
    await child.stop()
    await exited
  }
  return { kind: 'FerretDB 2.7.0 on DocumentDB', url, pid: child.pid, exited, stop }
}

/** Waits for both. If the program cannot be built, a server that has started is stopped. */
async function bothOrNeither(program: Promise<string | null>, server: Promise<Server>): Promise<[string, Server]> {
  const [built, started] = await Promise.allSettled([program, server])
  if (built.status === 'fulfilled' && started.status === 'fulfilled') return [built.value!, started.value]
  if (started.status === 'fulfilled') await started.value.stop()
  throw built.status === 'rejected' ? built.reason : (started as PromiseRejectedResult).reason
}
