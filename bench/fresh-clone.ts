import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnChild } from '../src/devnet/servers/spawn-child'

const root = join(import.meta.dir, '..')

/** Measures how long the demo takes on a fresh clone, with warm caches of packages and programs. */
export async function freshClone(): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-clone-'))
  try {
    const startedAt = performance.now()
    await ended(['git', 'clone', '--quiet', root, join(dir, 'switchyard')], () => {})
    const first = await demoOnce(join(dir, 'switchyard'), startedAt)
    const second = await demoOnce(join(dir, 'switchyard'), performance.now())
    return [
      `clone to first SUCCESS: ${secondsText(first.firstMs)}, to the last of six: ${secondsText(first.lastMs)}`,
      `second start to first SUCCESS: ${secondsText(second.firstMs)}, to the last of six: ${secondsText(second.lastMs)}`,
    ]
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const secondsText = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

async function demoOnce(cwd: string, startedAt: number) {
  let [firstMs, lastMs] = [0, 0]
  await ended(
    ['npm', 'run', 'demo', '--', '--once', '--port', '0'],
    (line) => {
      if (!/^✓ .*SUCCESS/.test(line)) return
      lastMs = performance.now() - startedAt
      firstMs ||= lastMs
    },
    cwd,
  )
  return { firstMs, lastMs }
}

async function ended(command: string[], onLine: (line: string) => void, cwd = root): Promise<void> {
  const { SWITCHYARD_DIR: _, ...env } = process.env
  const child = spawnChild(command, { cwd, env, onLine })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed:\n${child.tail()}`)
}
