import { existsSync } from 'node:fs'
import { cp, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'bun'
import { freePort } from '../../src/devnet/servers/free-port'
import { type Child, spawnChild } from '../../src/devnet/servers/spawn-child'
import { temporaryFolder } from '../support/temporary-folder'

const root = join(import.meta.dir, '../..')

const clients = join(root, 'clients')
const ours = ['@switchyard/client', '@switchyard/react']

/**
 * Installs packages and an application in a new folder, with this repository's clients built from their sources. `page`
 * is the script of its page, which is bundled as the application's own build would.
 */
export async function installed(application: string, page: string): Promise<string> {
  const folder = join(temporaryFolder('wallet'), 'wallet')
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '@switchyard'), { recursive: true })
  await cp(application, folder, { recursive: true, filter: (from) => !/node_modules|dist$/.test(from) })
  for (const name of ['uqr', 'react', 'react-dom', 'scheduler'])
    await symlink(join(root, 'node_modules', name), join(modules, name))
  await Promise.all([
    packed('typescript', join(modules, '@switchyard/client'), ['index.ts']),
    packed('react', join(modules, '@switchyard/react'), ['index.ts', 'server.ts']),
  ])
  await build({ entrypoints: [join(folder, page)], outdir: join(folder, 'dist'), minify: true, define: production })
  return folder
}
const production = { 'process.env.NODE_ENV': '"production"' }

/** Builds a package as its own `npm run build` does, but in a fraction of the time. */
async function packed(name: string, folder: string, entries: string[]): Promise<void> {
  const from = join(clients, name)
  await build({
    entrypoints: entries.map((entry) => join(from, 'src', entry)),
    outdir: join(folder, 'dist'),
    external: ['react', 'uqr', ...ours],
    define: production,
  })
  await cp(join(from, 'package.json'), join(folder, 'package.json'))
  const style = join(from, 'src/style.css')
  if (existsSync(style)) await cp(style, join(folder, 'dist/style.css'))
}

/** Starts the example wallet on a port that it keeps, so that it can be stopped and started again. */
export async function exampleWallet(env: { API: string; KEY: string }) {
  const [cwd, port] = await Promise.all([installed(join(root, 'examples/wallet'), 'page.jsx'), freePort()])
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
