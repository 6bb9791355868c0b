import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { chainIds } from '../src/domain/chain/chain'

/** Who may import whom. Read it as the architecture: a violation fails the build. */
const mayImport: Record<string, string[]> = {
  'src/domain/': ['src/domain/'],
  'machines/': ['machines/', 'src/domain/'],
  'src/ports/': ['src/ports/', 'src/domain/'],
  'src/detection/': ['src/detection/', 'machines/', 'src/ports/', 'src/domain/'],
  'src/routing/': ['src/routing/', 'machines/', 'src/ports/', 'src/domain/'],
  'src/estimates/': ['src/estimates/', 'src/routing/pricing/', 'src/routing/engine/', 'src/ports/', 'src/domain/'],
  'src/protocols/': ['src/protocols/', 'src/domain/'],
  'src/adapters/': ['src/adapters/', 'src/protocols/', 'src/ports/', 'src/domain/', 'contracts/artifacts/'],
  'src/http/': ['src/http/', 'src/routing/', 'machines/', 'src/ports/', 'src/domain/'],
  'src/signer/': [
    'src/signer/',
    'src/adapters/evm/',
    'src/protocols/',
    'src/ports/',
    'src/domain/',
    'contracts/artifacts/',
  ],
}
const serviceFolders = Object.keys(mayImport)
const linesMax = 300
const columnsMax = 120

/** A sentence in quotes is not broken. */
const isText = (line: string): boolean => /^[^/*]*['"`].{50,}/.test(line)

const banned: Record<string, string> = {
  handler: 'name what it does',
  manager: 'name what it keeps',
  helper: 'name what it does',
  utils: 'put it beside what uses it',
  common: 'name what is common',
}

const paths = [...new Glob('{src,machines}/**/*.{ts,tsx}').scanSync('.')]
const files = await Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(path).text() })))

test.each(files.map((file) => [file.path, file.text]))('tidy: %s', (path, text) => {
  const folder = serviceFolders.find((prefix) => path.startsWith(prefix))
  for (const [, relative] of folder ? text.matchAll(/from '(\.[^']+)'/g) : []) {
    const target = new URL(relative!, `file:///${path}`).pathname.slice(1)
    expect(
      mayImport[folder!]!.some((allowed) => target.startsWith(allowed)),
      `imports ${target}`,
    ).toBe(true)
  }

  const lines = text.split('\n')
  expect(lines.length).toBeLessThanOrEqual(linesMax)
  for (const line of lines) if (!isText(line)) expect(line.length, line).toBeLessThanOrEqual(columnsMax)
  for (const [word, instead] of Object.entries(banned))
    expect(path.split(/[/.-]/).includes(word), `${word}: ${instead}`).toBe(false)
})

test.each(files.filter(({ path }) => path !== 'src/domain/chain/chain.ts').map(({ path, text }) => [path, text]))(
  'tidy: chains have one home, which is not %s',
  (_path, text) => {
    for (const id of chainIds.filter((id) => id > 1_000)) expect(text).not.toMatch(new RegExp(`\\b${id}\\b`))
  },
)

test.each(
  files
    .filter(({ path }) => /^(src\/(?!devnet|cli|app\/config|main)|machines)/.test(path))
    .map((f) => [f.path, f.text]),
)('tidy: %s reads no environment and knows no devnet', (_path, text) => {
  expect(text).not.toMatch(/process\.env|Bun\.env/)
  expect(text).not.toMatch(/\bSY-[A-Z]|devnet/i)
})

test.each(files.filter(({ path }) => /^(src\/(domain|routing)|machines)\//.test(path)).map((f) => [f.path, f.text]))(
  'tidy: %s takes time and randomness as arguments',
  (_path, text) => {
    expect(text).not.toMatch(/Date\.now|new Date\(\)|Math\.random|performance\.now|randomUUID/)
    expect(text).not.toMatch(/setTimeout|setInterval|AbortSignal\.timeout/)
  },
)

test.each(
  files.filter(({ path }) => path.startsWith('src/') && !path.startsWith('src/devnet/')).map((f) => [f.path, f.text]),
)('tidy: %s knows no stand-in for the bridge', (_path, text) => expect(text).not.toMatch(/dev-?bridge/i))

/** What was sent, taken whole: by `...body`, `{ name, ...rest } = body` or `body as Partial<Record>`. */
const takenWhole = /\.\.\.\(?(body|params)\b|\.\.\.\w+,? \} = (body|params)\b|\b(body|params) as (?!Uint8Array|\{)/

test.each(
  files.filter(({ path }) => path.startsWith('src/http/') && !path.includes('/openapi')).map((f) => [f.path, f.text]),
)('tidy: %s takes the fields of a request by their names, never the whole', (_path, text) =>
  expect(text).not.toMatch(takenWhole),
)

// Four bytes typed by hand are right or somebody else's function: `isIsthmus()` was once asked for a fee.
test.each(files.map(({ path, text }) => [path, text]))(
  'tidy: %s computes selectors and topics from their signatures',
  (path, text) => {
    expect(text).not.toMatch(/(['"`])0x[0-9a-fA-F]{8}(\1|\$\{)/)
    if (/^src\/(adapters|signer|detection)/.test(path)) expect(text).not.toMatch(/(['"`])0x[0-9a-fA-F]{64}(\1|\$\{)/)
  },
)

/** Whose documents are no records: each is a counter, a turn, a note of use or of what was seen, or an entry that is only ever added. */
const writersOfTheirOwn = new Set(
  [
    ...[
      'api-keys',
      'audit-log',
      'budgets',
      'idempotency',
      'inbound-webhooks',
      'request-days',
      'request-log',
      'signs',
    ].map((name) => `mongo/collections/${name}`),
    'mongo/collections/intent-versions',
    'mongo/mongo-store',
    'mongo/engine/collection',
    'mongo/engine/records',
    'auth/auth-secret',
    'auth/better-auth',
  ].map((path) => `src/adapters/${path}.ts`),
)
const writes = /\b(bulkWrite|(update|replace|insert)(One|Many)|findOneAnd\w+|findByIdAnd\w+)\(/

test.each(
  files
    .filter(({ path }) => /^src\/(?!devnet)/.test(path) && !writersOfTheirOwn.has(path))
    .map((f) => [f.path, f.text]),
)('tidy: %s writes no document past the law of its record', (_path, text) => expect(text).not.toMatch(writes))
