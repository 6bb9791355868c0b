import { join } from 'node:path'
import { spawnChild } from '../../devnet/servers/spawn-child'
import { interruptSignal } from '../terminal/signals'

const root = join(import.meta.dir, '..', '..', '..')

/** Runs the chaos tests with many deposits and seconds, where a usual test run takes a few. */
export async function chaos({ deposits, seconds }: { deposits: number; seconds: number }): Promise<number> {
  const tests = ['chaos', 'workers', 'killed-process'].map((name) => `test/e2e/${name}.test.ts`)
  const child = spawnChild([process.execPath, 'test', '--timeout', '86400000', ...tests], {
    cwd: root,
    env: { ...process.env, CHAOS_DEPOSITS: `${deposits}`, ASLEEP_SECONDS: `${seconds}`, KILL_STEP: '1' },
    isShown: true,
  })
  void interruptSignal().then(() => child.stop())
  return child.exited
}
