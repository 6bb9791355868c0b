import { join } from 'node:path'
import { interruptSignal } from '../../src/cli/terminal/signals'
import { spawnChild } from '../../src/devnet/servers/spawn-child'

const root = join(import.meta.dir, '..', '..')

/** Tests the API with many requests, and then the contracts with many inputs. */
export async function fuzz({ requests, runs }: { requests: number; runs: number }): Promise<number> {
  const forge = join(root, 'node_modules', '.bin', 'forge')
  const searches = [
    {
      cwd: root,
      command: [process.execPath, 'test', 'test/http/fuzz/fuzz.test.ts'],
      env: { FUZZ_REQUESTS: `${requests}` },
    },
    { cwd: join(root, 'contracts'), command: [forge, 'test'], env: { FOUNDRY_FUZZ_RUNS: `${runs}` } },
  ]
  const interrupted = interruptSignal()
  for (const { cwd, command, env } of searches) {
    const child = spawnChild(command, { cwd, env: { ...process.env, ...env }, isShown: true })
    void interrupted.then(() => child.stop())
    const code = await child.exited
    if (code !== 0) return code
  }
  return 0
}
