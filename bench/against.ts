import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChildOptions, spawnChild } from '../src/devnet/servers/spawn-child'
import { comparison } from './comparison'

const root = join(import.meta.dir, '..')

/**
 * Runs measurements in this checkout and in a checkout of `ref`, in turn, and compares the medians.
 *
 * @param names names of measurements that both have.
 * @param ref anything that `git rev-parse` accepts.
 */
export async function against(names: readonly string[], ref: string, rounds: number): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-against-'))
  const there = join(dir, 'switchyard')
  try {
    await ended(['git', 'clone', '--quiet', '--shared', '--no-checkout', root, there])
    await ended(['git', 'checkout', '--quiet', '--detach', await commitOf(ref)], { cwd: there })
    await ended(['npm', 'ci', '--no-audit', '--no-fund'], { cwd: there })
    // Each is printed at once: a later one may fail after half an hour.
    for (const name of names) for (const line of await compared(name, there, { ref, rounds })) console.log(line)
    return []
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function compared(name: string, there: string, { ref, rounds }: { ref: string; rounds: number }) {
  const outputs = { ours: [] as string[][], theirs: [] as string[][] }
  for (let round = 0; round < rounds; round++) {
    // The order changes from round to round, because a machine may get slower while it works.
    for (const whose of round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const)) {
      outputs[whose].push(await measured(name, whose === 'ours' ? root : there))
      console.log(`  ${name}, round ${round + 1} of ${rounds}: ${whose === 'ours' ? 'this checkout' : ref} is measured`)
    }
  }
  return [
    `${name}: this checkout, ${ref}, and the ratio; medians of ${rounds} rounds in turn`,
    ...comparison(outputs.ours, outputs.theirs),
  ]
}

async function measured(name: string, cwd: string): Promise<string[]> {
  const lines: string[] = []
  await ended(['node', 'src/cli/switchyard.mjs', 'bench', name], { cwd, onLine: (line) => lines.push(line) })
  return lines
}

async function commitOf(ref: string): Promise<string> {
  const lines: string[] = []
  await ended(['git', 'rev-parse', '--verify', `${ref}^{commit}`], { onLine: (line) => lines.push(line) })
  return lines[0]!
}

async function ended(command: readonly string[], options: ChildOptions = {}): Promise<void> {
  const child = spawnChild(command, { cwd: root, onLine: () => {}, ...options })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed:\n${child.tail()}`)
}
