import { expect, test } from 'bun:test'
import { affectedBy } from '../commands/test-changed'

const all = [
  'test/tidy.test.ts',
  'test/prose.test.ts',
  'test/cli/listen.test.ts',
  'test/clients/guides.test.ts',
  'test/deploy/alerts.test.ts',
  'test/deploying/contracts.test.ts',
  'test/domain/fees.test.ts',
  'test/solidity/forge.test.ts',
  'test/webhooks/verify-snippet.test.ts',
]
const readers = ['test/tidy.test.ts', 'test/prose.test.ts']

test('every change runs the tests that read the project’s files', () => {
  expect(affectedBy(['src/domain/money/fees.ts'], all)).toEqual(readers)
  expect(affectedBy(['docs/security.md'], all)).toEqual(readers)
})

test('a change runs the tests that read or start what changed without importing it', () => {
  const besides = (path: string) => affectedBy([path], all).slice(readers.length)
  expect(besides('contracts/src/RouteExecutor.sol')).toEqual([
    'test/deploying/contracts.test.ts',
    'test/solidity/forge.test.ts',
  ])
  for (const path of ['deploy/prometheus/alerts.yaml', 'compose.yaml', 'Dockerfile', 'required.env', '.env.example'])
    expect(besides(path), path).toEqual(['test/deploy/alerts.test.ts'])
  expect(besides('docs/integrators/webhooks.md')).toEqual(['test/clients/guides.test.ts'])
  expect(besides('examples/verify/webhook.mjs')).toEqual(['test/webhooks/verify-snippet.test.ts'])
  for (const path of ['src/cli/main.ts', 'test/commands/test.ts'])
    expect(besides(path), path).toEqual(['test/cli/listen.test.ts'])
})

test('a change of packages or of Bun’s settings runs every test', () => {
  for (const path of ['package.json', 'package-lock.json', 'bunfig.toml', 'test/support/default-timeout.ts'])
    expect(affectedBy(['src/main.ts', path], all)).toBe('EVERY')
})
