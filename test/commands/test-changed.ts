import { Failure } from '../../src/cli/terminal/failure.ts'

/** These read the project's files instead of importing them, so Bun cannot see which changes affect them. */
const readers = /^test\/[^/]+\.test\.ts$/

/**
 * Tests that read or start what they do not import. The first pattern that matches a changed file decides. `EVERY`
 * means that the change affects each test.
 */
const unimported: readonly [changed: RegExp, affected: RegExp | 'EVERY'][] = [
  [/^(package(-lock)?\.json|bunfig\.toml|tsconfig\.json|test\/support\/default-timeout\.ts)$/, 'EVERY'],
  [/^contracts\//, /^test\/(solidity|deploying|security)\//],
  [/^(deploy\/|compose|Dockerfile|[^/]*\.env)/, /^test\/(deploy|app)\//],
  [/^test\/real-answers\//, /^test\/(real-answers|ports|protocols|providers|adapters)\//],
  [/^examples\/verify\//, /^test\/(devnet|webhooks)\//],
  [/^(docs\/integrators|examples|clients)\//, /^test\/clients\//],
  [/^(src\/cli|test\/commands)\//, /^test\/cli\//],
]

/**
 * Returns the test files that a change affects without an import: tests that read the project's files, and tests that
 * the table names.
 */
export function affectedBy(changed: readonly string[], all: readonly string[]): readonly string[] | 'EVERY' {
  const matches = changed.flatMap((path) => unimported.find(([pattern]) => pattern.test(path))?.[1] ?? [])
  const patterns = matches.filter((each) => each !== 'EVERY')
  if (patterns.length < matches.length) return 'EVERY'
  return all.filter((path) => [readers, ...patterns].some((pattern) => pattern.test(path)))
}

/** @param since The commit or branch to compare with; `true` is the last commit. */
export function affectedSince(since: true | string, root: string, all: readonly string[]) {
  const changed = git(root, 'diff', '--name-only', '--no-renames', '-z', since === true ? 'HEAD' : since)
  return affectedBy([...changed, ...git(root, 'ls-files', '--others', '--exclude-standard', '-z')], all)
}

function git(root: string, ...given: string[]): string[] {
  const { success, stdout, stderr } = Bun.spawnSync(['git', '-C', root, ...given])
  if (!success) throw new Failure(`git ${given[0]} failed: ${stderr}`)
  return String(stdout)
    .split('\0')
    .filter((line) => line !== '')
}
