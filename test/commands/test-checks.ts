import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cacheFolder } from '../../src/devnet/servers/cache-folder.ts'

export type Check = readonly [name: string, arguments: readonly string[]]
const state = join('node_modules', '.cache', 'check.tsbuildinfo')
/**
 * The checks of `npm test` and of `npm run check`. A single type checker runs: several infer most types separately, and
 * four take three times the processor time of one.
 */
export const checks: readonly Check[] = [
  [
    'tsc --noEmit',
    [
      'node_modules/typescript/bin/tsc',
      ...['--noEmit', '--checkers', '1', '--incremental', '--tsBuildInfoFile', state],
    ],
  ],
  ['biome check', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings']],
]

/**
 * Runs the checks in a project. All clones with the same packages share the type checker's state for unchanged files.
 *
 * @param passes Runs a check, and returns whether it passed.
 */
export async function checkAll(root: string, passes: (check: Check) => Promise<boolean>): Promise<boolean[]> {
  const lock = await readFile(join(root, 'package-lock.json'))
  const shared = join(await cacheFolder(), 'types', `${Bun.hash(lock).toString(36)}.tsbuildinfo`)
  const own = join(root, state)
  if (!existsSync(own)) {
    await replaceFile(shared, own).catch(() => {}) // absent on this machine's first run
  }
  const passed = await Promise.all(checks.map(passes))
  if (passed[0]) {
    await replaceFile(own, shared).catch(() => {}) // the cache may belong to another account
  }
  return passed
}

/** Copies a file in one step: another clone that reads it at this moment gets the former one whole. */
export async function replaceFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  const aside = `${to}.${process.pid}`
  await copyFile(from, aside)
  await rename(aside, to)
}
