import { cp, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'bun'
import { freePort } from '../../src/devnet/servers/free-port'
import { type Child, spawnChild } from '../../src/devnet/servers/spawn-child'
import { temporaryFolder } from '../support/temporary-folder'

const root = join(import.meta.dir, '../..')

/** Installs the example in a folder of its own, with the client that this repository would pack. */
async function installed(): Promise<string> {
  const folder = join(temporaryFolder('wallet'), 'wallet')
  const client = join(folder, 'node_modules/@switchyard/client')
  await mkdir(client, { recursive: true })
  await cp(join(root, 'examples/wallet'), folder, { recursive: true, filter: (from) => !from.includes('node_modules') })
  await cp(join(root, 'clients/typescript/package.json'), join(client, 'package.json'))
  await build({
    entrypoints: [join(root, 'clients/typescript/src/index.ts')],
    outdir: join(client, 'dist'),
    target: 'node',
  })
  await symlink(join(root, 'node_modules/uqr'), join(folder, 'node_modules/uqr'))
  return folder
}

/** Starts the example wallet on a port that it keeps, so that it can be stopped and started again. */
export async function exampleWallet(env: { API: string; KEY: string }) {
  const [cwd, port] = await Promise.all([installed(), freePort()])
  const lines: string[] = []
  let child: Child | null = null
  async function start() {
    const started = Promise.withResolvers<void>()
    child = spawnChild(['node', 'server.mjs'], {
      cwd,
      env: { ...process.env, ...env, PORT: String(port) },
      onLine: (line) => {
        lines.push(line)
        if (line.startsWith('http:')) started.resolve()
      },
    })
    const { exited, tail } = child
    exited.then((code) => started.reject(new Error(`It ended with code ${code}: ${tail()}`)))
    await started.promise
  }
  await start()
  return { url: `http://127.0.0.1:${port}`, lines, start, stop: () => child!.stop('SIGKILL') }
}
