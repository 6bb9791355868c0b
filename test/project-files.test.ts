import { expect, test } from 'bun:test'
import { $, Glob } from 'bun'
import { chainKeys } from '../src/domain/chain/chain'
import { checks } from './commands/test-checks'
import { timingsOf } from './commands/test-costs'
import { publishedIn, shownIn } from './support/published'
import { spread } from './support/spread'

const textOf = (path: string): Promise<string> => Bun.file(path).text()
test('the README has at most 100 lines, and its picture is below 200 KB', async () => {
  expect((await textOf('README.md')).trimEnd().split('\n').length).toBeLessThanOrEqual(100)
  expect(Bun.file('docs/images/live-map.png').size).toBeLessThan(200_000)
})

test('the page of operations names every variable of .env.example, and per-chain ones by their first', async () => {
  const page = await textOf('docs/reference/configuration.md')
  const names = [...(await textOf('.env.example')).matchAll(/^(?:# )?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name!)
  const first = (name: string): string => name.replace(new RegExp(`_(${chainKeys.join('|')})$`, 'i'), '_BASE')
  expect(names.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`\`${first(name)}\``))).toEqual([])
})

test('package.json and the bootstrap accept the Node of .nvmrc and of the image', async () => {
  const node = (await textOf('.nvmrc')).trim()
  const { engines } = await Bun.file('package.json').json()
  expect(Bun.semver.satisfies(`${node}.0.0`, engines.node)).toBe(true)
  expect(await textOf('Dockerfile')).toContain(`FROM node:${node}-slim`)
  const least = /versions\.node\.split\('\.'\)\[0\]\) < (\d+)/.exec(await textOf('src/cli/switchyard.mjs'))![1]
  expect(engines.node).toBe(`>=${least}`)
})

test('every command of package.json begins with a program of a fresh clone, because npm runs no install script of Bun', async () => {
  const { scripts } = (await Bun.file('package.json').json()) as { scripts: Record<string, string> }
  expect(Object.values(scripts).filter((script) => !script.startsWith('node '))).toEqual([])
  const ofBun = await $`grep -rnE ${'^(npx )?bun |\bnpx bun '} .ci`.nothrow().text()
  expect(ofBun).toBe('')
})

test('`npm run check` runs the checks of `npm test`, and a warning fails both', async () => {
  const { scripts } = (await Bun.file('package.json').json()) as { scripts: Record<string, string> }
  expect(scripts['check']).toBe('node src/cli/switchyard.mjs test --checks')
  expect(checks.map(([name]) => name)).toEqual(['tsc --noEmit', 'biome check'])
  expect(checks[1]![1]).toContain('--error-on-warnings')
})

test('every test file has a stored time, and UPDATE=1 estimates those of new files', async () => {
  const stored = Bun.file('test/timings.json')
  const all = [...new Glob('test/**/*.test.ts').scanSync('.')]
  if (process.env['UPDATE'] === '1') await Bun.write(stored, timingsOf(await stored.text(), all))
  const { files } = (await stored.json()) as { files: Record<string, number> }
  expect(Object.keys(files).toSorted()).toEqual(all.toSorted())
})

test('CONTRIBUTING counts the files of each part of the tests, and its columns add up', async () => {
  const [heading, line, ...shown] = (await shownIn('CONTRIBUTING.md', 'parts')).split('\n')
  const rows = shown.map((row) => row.slice(2, -2).split(' | '))
  const parts = rows.slice(0, -1)
  const places = parts.map(([part]) => [...part!.matchAll(/`(test\/[^`]+)`/g)].flatMap(([, name]) => spread(name!)))
  expect(places.flat()).toEqual([...new Set(places.flat())])
  const placeOf = (path: string) =>
    places
      .flat()
      .filter((place) => `${path}/`.startsWith(`${place}/`))
      .reduce((one, other) => (other.length > one.length ? other : one), '')
  const byPlace = Map.groupBy(new Glob('test/**/*.test.ts').scanSync('.'), placeOf)
  expect(byPlace.get('') ?? []).toEqual([])
  parts.forEach((cells, n) => {
    if (places[n]!.length > 0) cells[1] = `${places[n]!.flatMap((place) => byPlace.get(place) ?? []).length}`
  })
  for (const column of [1, 2, 3, 4]) {
    const seconds = parts.map((cells) => Number(cells[column]!.replaceAll(/,|^-$/g, '')))
    const isWhole = column === 1 || parts.every((cells) => cells[column] !== '-')
    if (isWhole) rows.at(-1)![column] = seconds.reduce((sum, each) => sum + each, 0).toLocaleString('en')
  }
  const counted = rows.map((cells) => `| ${cells.join(' | ')} |`)
  await publishedIn('CONTRIBUTING.md', 'parts', [heading, line, ...counted].join('\n'))
})

test('CONTRIBUTING names every file in which each chain has a row', async () => {
  const row = (await textOf('CONTRIBUTING.md')).split('\n').find((line) => line.startsWith('| a chain |'))!
  const last = new RegExp(`^\\s+${chainKeys.at(-1)!}: `, 'm')
  const sources = [...new Glob('src/**/*.{ts,tsx}').scanSync('.')]
  const texts = await Promise.all(sources.map(async (path) => ({ path, text: await textOf(path) })))
  const withRows = texts.filter(({ text }) => last.test(text)).map(({ path }) => path)
  expect(withRows).toContain('src/domain/money/price-feeds.ts')
  expect(withRows.filter((path) => !row.includes(`\`${path}\``))).toEqual([])
})
