import { join } from 'node:path'
import { interruptSignal } from '../../src/cli/terminal/signals'
import { spawnChild } from '../../src/devnet/servers/spawn-child'

const root = join(import.meta.dir, '..', '..')

type ChaosOptions = { deposits: number; seconds: number; cluster?: true }

/** Runs the chaos tests with many deposits and seconds; a usual test run takes a few. */
export async function chaos({ deposits, seconds, cluster }: ChaosOptions): Promise<number> {
  const names = cluster ? ['chaos', 'rolling-restart'] : ['chaos', 'workers', 'killed-process']
  const tests = names.map((name) => `test/e2e/${name}.test.ts`)
  const settings = { TEST_DEPTH: 'full', CHAOS_DEPOSITS: `${deposits}`, ASLEEP_SECONDS: `${seconds}`, KILL_STEP: '1' }
  const child = spawnChild([process.execPath, 'test', ...tests], {
    cwd: root,
    env: { ...process.env, ...settings, ...(cluster && { CHAOS_CLUSTER: '1' }) },
    isShown: true,
  })
  void interruptSignal().then(() => child.stop())
  return child.exited
}
