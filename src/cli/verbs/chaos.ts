import { join } from 'node:path'
import { spawnChild } from '../../devnet/servers/spawn-child'
import { interruption } from '../interruption'

const root = join(import.meta.dir, '..', '..', '..')

/** What every test run does with a few deposits and seconds, with many. */
export async function chaos({ deposits, seconds }: { deposits: number; seconds: number }): Promise<number> {
  const child = spawnChild(
    [process.execPath, 'test', '--timeout', '86400000', 'test/e2e/chaos.test.ts', 'test/e2e/workers.test.ts'],
    {
      cwd: root,
      env: { ...process.env, CHAOS_DEPOSITS: `${deposits}`, ASLEEP_SECONDS: `${seconds}` },
      isShown: true,
    },
  )
  void interruption().then(() => child.stop())
  return child.exited
}
