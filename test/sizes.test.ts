import { expect } from 'bun:test'
import { Glob } from 'bun'
import { spread } from './support/spread'
import { testAll } from './support/test-all'
import { filesThatRun, type SourceFile } from './tidy-rules'

/** `UPDATE=1 npx bun test test/sizes.test.ts` writes today's counts into the table. */
const isUpdate = process.env['UPDATE'] === '1'
const page = 'docs/architecture.md'
/** A stated count may be this far off, so that not every change of a file changes the page. */
const shareOff = 0.03

const read = (pattern: string): Promise<SourceFile[]> =>
  Promise.all([...new Glob(pattern).scanSync('.')].map(async (path) => ({ path, text: await Bun.file(path).text() })))
const source = await read('{src,machines}/**/*.{ts,tsx}')
const tests = await read('test/**/*.ts')

/** The files with these paths, and those in these folders, whose names end in a slash. */
function filesIn(files: readonly SourceFile[], ...names: readonly string[]): SourceFile[] {
  const places = names.flatMap(spread)
  const inside = (place: string) =>
    files.filter(({ path }) => path === place || (place.endsWith('/') && path.startsWith(place)))
  expect(places.filter((place) => inside(place).length === 0)).toEqual([])
  return places.flatMap(inside)
}

const linesOf = (files: readonly SourceFile[]): number =>
  files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
/** A line that is empty or only a comment is not code. */
const codeLinesOf = (files: readonly SourceFile[]): number =>
  files.reduce((sum, { text }) => sum + text.split('\n').filter((line) => !/^\s*($|\/\/|\/\*|\*)/.test(line)).length, 0)
const filesAndLines = (files: readonly SourceFile[]): number[] => [files.length, linesOf(files)]

/** At 9c0f97c1 the files with this content have the figures of the column Before: 37 files and 3,521 lines. */
const events = filesIn(
  source,
  'src/{events,http/events,webhooks,domain/webhook}/',
  'src/{domain/event-marks,ports/webhooks,adapters/mongo/collections/events}.ts',
  'src/{app/event-log,app/webhook-posting,http/views/event,http/views/rare-event}.ts',
)
const testsOfEvents = filesIn(tests, 'test/{events,webhooks,http/events}/')
/** The files that decide, without the port that the providers implement. */
const providers = filesIn(source, 'src/providers/', 'src/domain/limits/provider-budget.ts').filter(
  ({ path }) => path !== 'src/providers/aggregator.ts',
)

/** The start of a deposit's path: detection, the engine, its steps, and the signer. */
const pathOfDeposit = spread(
  'src/{detection/detection,detection/webhooks/pointers,routing/engine/worker,routing/steps/index,signer/policy-signer,signer/route-rules}.ts',
)
/** Chains, providers, prices, limits, lists, messages and the store. */
const adaptersOfDeposit = [
  ...spread('src/{providers/gate,providers/shared-budget,nodes/chain-breakers,limits/plan-limits}.ts'),
  ...spread('src/adapters/{evm/chain-client,evm/heads,aggregators/index,prices/prices,prices/price-feeds}.ts'),
  ...spread('src/adapters/{prices/appraiser,caches/blacklist-cache,nats/nats-messages,mongo/mongo-store}.ts'),
]
/** The start of a webhook's path: the processes that post what the log of events has. */
const pathOfWebhook = spread('src/{webhooks/webhook-sender,webhooks/endpoint-run,app/webhook-posting}.ts')

async function mechanisms(): Promise<number[]> {
  const [, section] = (await Bun.file('src/README.md').text()).split('\n## Mechanisms\n')
  const tables = section!.split('\n## ')[0]!.split('\n| Mechanism |').slice(1)
  const counts = tables.map((table) => table.split('\n').filter((line) => line.startsWith('| ')).length)
  return [counts.reduce((sum, count) => sum + count, 0), ...counts]
}

/** The rows of the table with the counts that the last cell begins with, in their order. */
const rows: [string, readonly number[]][] = [
  ['[mechanisms](../src/README.md#mechanisms)', await mechanisms()],
  ['files and lines of events and webhooks', filesAndLines(events)],
  ['files and lines of their tests', filesAndLines(testsOfEvents)],
  ['lines that decide whether a provider gets a request', [linesOf(providers)]],
  ['the same for a node', [linesOf(filesIn(source, 'src/nodes/'))]],
  [
    'files and lines of a deposit’s path, with adapters and the whole store',
    filesAndLines(filesThatRun(source, [...pathOfDeposit, ...adaptersOfDeposit])),
  ],
  [
    'files and lines of a webhook’s path',
    [
      ...filesAndLines(filesThatRun(source, pathOfWebhook)),
      ...filesAndLines(filesThatRun(source, [...pathOfWebhook, 'src/app/event-log.ts'])),
    ],
  ],
  ['lines of code, and files of TypeScript in `src` and `machines`', [codeLinesOf(source), source.length]],
]

const number = /\d[\d,]*/g
const isNear = (stated: number, counted: number): boolean => Math.abs(stated - counted) <= counted * shareOff

/** Puts the counts into the first numbers of a cell. */
function withCounts(cell: string, counts: readonly number[]): string {
  const left = [...counts]
  return cell.replaceAll(number, (stated) => left.shift()?.toLocaleString('en') ?? stated)
}

testAll(rows)('the page of the architecture states today’s sizes', async (name, counts) => {
  const text = await Bun.file(page).text()
  const row = text.split('\n').find((line) => line.startsWith(`| ${name} |`))!
  const cells = row.slice(2, -2).split(' | ')
  const now = cells.at(-1)!
  if (isUpdate) {
    const written = [...cells.slice(0, -1), withCounts(now, counts)]
    await Bun.write(
      page,
      text.replace(row, () => `| ${written.join(' | ')} |`),
    )
    return
  }
  const stated = [...now.matchAll(number)].slice(0, counts.length).map(([each]) => Number(each.replaceAll(',', '')))
  expect({ stated, counted: counts }).toEqual({
    stated: stated.map((each, n) => (isNear(each, counts[n]!) ? each : counts[n]!)),
    counted: counts,
  })
})
