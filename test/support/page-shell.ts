import { join } from 'node:path'
import { freePort } from '../../src/devnet/servers/free-port'
import { type Child, spawnChild } from '../../src/devnet/servers/spawn-child'
import { until } from './until'

export type Variables = Record<string, string>

const root = join(import.meta.dir, '..', '..')
/** Replaces `npx switchyard` of a page with a direct call. */
const preamble = `npx() { shift; '${process.execPath}' '${root}/src/cli/main.ts' "$@"; }
curl() { command curl --silent --show-error --fail-with-body "$@"; }`

/** Runs the commands of a page in a folder, with the default and the given variables. */
export function pageShell(dir: string, everywhere: Variables) {
  /** Started processes by role. */
  const running = new Map<string, Child>()
  const envWith = (env: Variables) => ({ HOME: dir, ...everywhere, ...env })

  return {
    running,

    /** Runs a block of the page in its own shell. */
    async carriedOut(block: string, env: Variables, after = '') {
      const child = Bun.spawn(['bash', '-c', `${preamble}\n${block}\n${after}`], {
        cwd: dir,
        env: envWith(env),
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [out, err, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ])
      return { out, said: out + err, code }
    },

    /** Starts a process with the page's commands, and waits until it is ready. @returns its URL. */
    async started(block: string, env: Variables): Promise<string> {
      const port = await freePort()
      const role = env['ROLES']!
      const inPlace = preamble.replace('shift; ', 'shift; exec ')
      const child = spawnChild(['bash', '-c', `${inPlace}\n${block}`], {
        cwd: dir,
        env: { ...envWith(env), PORT: `${port}` },
        log: join(dir, `${role}.log`),
      })
      running.set(role, child)
      const url = `http://127.0.0.1:${port}`
      const status = () => fetch(`${url}/ready`).then((answer) => answer.status, String)
      await until(`${role} is ready`, async (note) => note(await status()) === 200)
      return url
    },

    async stop(): Promise<void> {
      await Promise.all([...running.values()].map((child) => child.stop()))
      running.clear()
    },
  }
}
