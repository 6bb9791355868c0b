import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { claimPort } from './free-port.ts'
import { natsProgram, type Program } from './nats-program.ts'
import { externalServer, type Server, type ServerOptions } from './server.ts'
import { spawnChild } from './spawn-child.ts'
import { untilReady } from './until-ready.ts'

/** Starts NATS with JetStream on the data in `dataDir`. Every acknowledged message is on disk. */
export async function startNats({ dataDir, port: wanted, report = () => {} }: ServerOptions): Promise<Server> {
  if (process.env.NATS_URL) return externalServer(process.env.NATS_URL)
  const program = await natsProgram(report)
  const folder = resolve(dataDir)
  await mkdir(folder, { recursive: true })
  const port = await claimPort(wanted, 'NATS')
  const settings = join(folder, 'nats.conf')
  await writeFile(settings, configuration(folder, port))
  return runNats(program, { settings, folder, port })
}

type Running = { readonly settings: string; readonly folder: string; readonly port: number }

/** Runs a NATS server with these settings, which name the port. Resolves when it responds there. */
export async function runNats({ kind, path }: Program, { settings, folder, port }: Running): Promise<Server> {
  const child = spawnChild([path, '-c', settings], { log: join(folder, 'nats.log') })
  await untilReady('NATS', child, () => greets(port))
  return {
    kind,
    url: `nats://127.0.0.1:${port}`,
    pid: child.pid,
    exited: child.exited,
    stop: () => child.stop('SIGTERM'),
  }
}

function configuration(folder: string, port: number): string {
  return `listen: "127.0.0.1:${port}"
server_name: switchyard
max_payload: 1MB
jetstream {
  store_dir: ${JSON.stringify(folder)}
  sync_interval: always
  max_memory_store: 1GB
  max_file_store: 10GB
}
`
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 })
    const done = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('data', (bytes: Buffer) => done(bytes.toString().startsWith('INFO ')))
    for (const event of ['error', 'timeout', 'close']) socket.once(event, () => done(false))
  })
}
