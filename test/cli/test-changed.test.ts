import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { affectedBy, readsIn } from '../commands/test-changed'
import { testReads } from '../commands/test-reads'
import { expectAllToKeep } from '../support/test-all'

const root = join(import.meta.dir, '..', '..')
const reads = readsIn(root)

test('every change runs the rules of the house', () => {
  const all = ['test/tidy.test.ts', 'test/prose.test.ts', 'test/domain/fees.test.ts']
  const house = ['test/tidy.test.ts', 'test/prose.test.ts']
  expect(affectedBy(['src/domain/money/fees.ts'], all, reads)).toEqual(house)
  expect(affectedBy(['docs/security.md'], all, reads)).toEqual(house)
})

test('every change of a contract runs the tests of the contracts', () => {
  const names = ['solidity/killers', 'deploying/contracts', 'security/forged', 'domain/fees']
  const all = names.map((name) => `test/${name}.test.ts`)
  const none = { readersOf: () => [], startersOf: () => [] }
  expect(affectedBy(['contracts/src/RouteExecutor.sol'], all, none)).toEqual(all.slice(0, 3))
})

const inBrowser = ['deposits', 'operations', 'pages'].map((name) => `test/dashboard/browser/${name}.test.ts`)

/**
 * One of each form in which a test names a file: a path, a joined one, a pattern, a folder, a helper's, a program, what
 * a program loads, and a page that a browser shows.
 */
const readings = [
  ['contracts/src/guards/Limits.sol', 'test/domain/contract-refusals.test.ts', 'test/signer/limits.test.ts'],
  ['contracts/src/RouteExecutor.sol', 'test/solidity/natspec.test.ts', 'test/solidity/forge.test.ts'],
  ['contracts/src/RouteExecutor.sol', 'test/solidity/artifacts.test.ts'],
  ['contracts/artifacts/RouteExecutor.json', 'test/solidity/artifacts.test.ts', 'test/deploying/simulation.test.ts'],
  ['contracts/test/Recovery.t.sol', 'test/routing/money-gates.test.ts'],
  ['docs/integrators/reconciling.md', 'test/domain/worked-fees.test.ts', 'test/clients/guides.test.ts'],
  ['docs/integrators/members.md', 'test/dashboard/directory-guides.test.ts'],
  ['docs/reference/extensions.md', 'test/domain/tenant/audit-names.test.ts'],
  ['docs/reference/log-lines.md', 'test/app/operations.test.ts'],
  ['docs/operations/alerts.md', 'test/deploy/alerts.test.ts', 'test/app/operations.test.ts'],
  ['docs/operations/install.md', 'test/e2e/live.test.ts'],
  ['machines/execution.mmd', 'test/machines/published.test.ts'],
  ['examples/python/hooks.py', 'test/webhooks/verify-snippet.test.ts'],
  ['examples/verify/webhook.mjs', 'test/webhooks/verify-snippet.test.ts'],
  ['test/fixtures/documents/new.json', 'test/cli/migrate.test.ts', 'test/adapters/nats/recorded-messages.test.ts'],
  ['deploy/prometheus/alerts.yaml', 'test/deploy/alerts.test.ts'],
  ['deploy/compose/compose.yaml', 'test/deploy/cluster.test.ts'],
  ['Dockerfile', 'test/deploy/image.test.ts', 'test/app/compose.test.ts'],
  ['required.env', 'test/app/compose.test.ts'],
  ['src/dashboard/pages/new-page.tsx', 'test/dashboard/access.test.ts'],
  ['src/dashboard/pages/overview.tsx', 'test/dashboard/page-text.test.ts', ...inBrowser],
  ['src/dashboard/index.html', 'test/dashboard/page-text.test.ts', ...inBrowser],
  ['src/dashboard/styles/base.css', ...inBrowser],
  ['src/dashboard/scheme.js', ...inBrowser],
  ['src/domain/tenant/audit-verb.ts', ...inBrowser],
  ['src/http/openapi/page/page.css', 'test/clients/try-it-out.test.ts'],
  ['src/cli/verbs/demo.ts', 'test/e2e/demo.test.ts', 'test/cli/usage.test.ts', 'test/cli/key-stays.test.ts'],
  ['src/cli/verbs/demo.ts', 'test/e2e/live.test.ts'],
  ['src/deploying/steps.ts', 'test/deploying/contracts.test.ts'],
  ['src/deploying/setting-changes.ts', 'test/deploying/contracts.test.ts'],
  ['src/screening/import-list.ts', 'test/e2e/providers.test.ts'],
  ['src/app/doctor/nodes.ts', 'test/cli/environment.test.ts', 'test/cli/key-stays.test.ts'],
  ['test/commands/test.ts', 'test/cli/switchyard.test.ts'],
  ['test/support/dying.ts', 'test/e2e/killed-process.test.ts'],
] as const

test('a change runs the tests that read, start or show what changed without importing it', () =>
  expectAllToKeep(readings, (path: string, ...readers: string[]) =>
    expect(reads.readersOf([path])).toEqual(expect.arrayContaining(readers)),
  ))

test('few tests read a page of the documents', () => {
  expect(reads.readersOf(['docs/integrators/members.md']).length).toBeLessThan(15)
})

test('a file is read by its path from the root or from the test, by a pattern, and with its folder', () => {
  const naming: Record<string, string> = {
    path: "read('docs/a.md')",
    joined: "join(import.meta.dir, '..', '..', 'docs', 'a.md')",
    template: '`${import.meta.dir}/../../docs/a.md`',
    pattern: "new Glob('docs/*.md')",
    folder: "new Glob('*.md').scanSync(join(root, 'docs'))",
    helper: "import { page } from './page'",
    word: "expect(['docs', 'a.md'])",
    comment: '// docs/a.md',
    page: '',
  }
  const sources = Object.entries(naming).map(([name, text]) => ({ path: `test/x/${name}.test.ts`, text }))
  const page = { path: 'test/x/page.ts', text: "export const page = '../../docs/a.md'" }
  const found = testReads([...sources, page], ['docs/a.md', 'docs/b.md']).readersOf(['docs/a.md'])
  expect(found).toEqual(
    ['path', 'joined', 'template', 'pattern', 'folder', 'helper'].map((name) => `test/x/${name}.test.ts`),
  )
})

test('a change of the service names every test that starts it as a process, and a page names none', () => {
  const starting = reads.startersOf(['src/routing/engine/worker.ts'])
  expect(starting).toEqual(
    expect.arrayContaining(
      ['e2e/crashes', 'clients/guides', 'app/start', 'http/processes/killed'].map((name) => `test/${name}.test.ts`),
    ),
  )
  expect(starting).not.toContain('test/domain/fees.test.ts')
  expect(reads.startersOf(['docs/security.md'])).toEqual([])
})

test('a change of packages or of Bun’s settings runs every test', () => {
  for (const path of ['package.json', 'package-lock.json', 'bunfig.toml', 'test/support/default-timeout.ts'])
    expect(affectedBy(['src/main.ts', path], [], reads)).toBe('EVERY')
})
