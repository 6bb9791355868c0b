import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../src/cli/terminal/failure.ts'
import { type TestReads, testReads } from './test-reads.ts'

/** The rules of the house, which read any file of the project. */
const houseRules = /^test\/[^/]+\.test\.ts$/
/** These measure the contracts, whose sources and artifacts are read by computed paths. */
const [contracts, ofContracts] = [/^contracts\//, /^test\/(solidity|deploying|security)\//]
const affectingAll = /^(package(-lock)?\.json|bunfig\.toml|tsconfig\.json|test\/support\/default-timeout\.ts)$/

/**
 * Returns the test files that a change affects without an import: the rules of the house, tests of the contracts, and
 * tests that read or start what has changed.
 */
export function affectedBy(
  changed: readonly string[],
  all: readonly string[],
  { readersOf }: TestReads,
): readonly string[] | 'EVERY' {
  if (changed.some((path) => affectingAll.test(path))) return 'EVERY'
  const readers = new Set(readersOf(changed))
  const isOfContracts = changed.some((path) => contracts.test(path))
  return all.filter((path) => houseRules.test(path) || readers.has(path) || (isOfContracts && ofContracts.test(path)))
}

/** What the tests of the project in a folder read and start. */
export function readsIn(root: string, removed: readonly string[] = []): TestReads {
  const code = globSync('{src,machines,test,bench,contracts}/**/*.{ts,tsx,mjs}', { cwd: root })
  const paths = git(root, 'ls-files', '--cached', '--others', '--exclude-standard', '-z')
  const known = new Set(paths)
  const sources = code.filter((path) => known.has(path) && existsSync(join(root, path)))
  return testReads(
    sources.toSorted().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
    [...paths, ...removed],
  )
}

/**
 * Returns the affected tests, and those that start the service as a process, if it has changed.
 *
 * @param since The commit or branch to compare with; `true` is the last commit.
 */
export function affectedSince(since: true | string, root: string, all: readonly string[]) {
  const changed = [
    ...git(root, 'diff', '--name-only', '--no-renames', '-z', since === true ? 'HEAD' : since),
    ...git(root, 'ls-files', '--others', '--exclude-standard', '-z'),
  ]
  const reads = readsIn(root, changed)
  return { affected: affectedBy(changed, all, reads), starters: reads.startersOf(changed) }
}

function git(root: string, ...given: string[]): string[] {
  const { success, stdout, stderr } = Bun.spawnSync(['git', '-C', root, ...given])
  if (!success) throw new Failure(`git ${given[0]} failed: ${stderr}`)
  return String(stdout)
    .split('\0')
    .filter((line) => line !== '')
}
