import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { loadConfig } from '../src/app/config/config'
import { apiWorld } from './http/world'
import { everyMetric } from './support/every-metric'
import { publishedIn, shownIn } from './support/published'
import { logTable, metricTable, overdueTable, settingSections, settingTable } from './support/reference-tables'
import { serviceVariables } from './support/service-variables'

/** `UPDATE=1 npx bun test test/reference.test.ts` writes the tables of `docs/reference` that are made of the code. */
const sections = settingSections(await Bun.file('.env.example').text())
const settings = sections.flatMap((section) => section.settings)

test('published: the reference has every setting of .env.example, below the title of its section', () =>
  publishedIn('docs/reference/configuration.md', 'settings', settingTable(sections)))

test('published: the reference has every metric that is served', async () => {
  const metrics = everyMetric()
  const { ask } = apiWorld({ metrics })
  await ask('/api/health') // the metrics of requests have no labels before the first one
  const { text } = await ask('/metrics')
  const page = 'docs/reference/metrics.md'
  const table = metricTable(text, [...metrics.gauges, ...metrics.counters], await shownIn(page, 'metrics'))
  await publishedIn(page, 'metrics', table)
})

test('published: the reference has every line of the log above info', async () => {
  const page = 'docs/reference/log-lines.md'
  await publishedIn(page, 'log-lines', logTable(await shownIn(page, 'log-lines')))
})

test('published: the page of alerts has every kind of overdue work with its bound', () =>
  publishedIn('docs/operations/alerts.md', 'overdue', overdueTable()))

test('a default in .env.example is that of the code', () => {
  const defaults = settings.flatMap(({ names, defaults }) => names.map((name, n) => [name, defaults[n]!] as const))
  const shown = Object.fromEntries(defaults.filter(([, value]) => value !== ''))
  const { config, secrets } = loadConfig(serviceVariables)
  expect(loadConfig({ ...serviceVariables, ...shown })).toMatchObject({ config, secrets })
})

/** Variables whose sentence gives the default, because it depends on where the service runs. */
const inWords = ['RELAY_SOLVER_ADDRESS', 'SHUTDOWN_DELAY_MS']

test('a variable with a default in the code shows it in .env.example', async () => {
  const paths = [...new Glob('src/app/config/*.ts').scanSync('.')]
  const texts = await Promise.all(paths.map((path) => Bun.file(path).text()))
  const withDefault = texts.flatMap((text) =>
    [...text.matchAll(/^ {2}([A-Z][A-Z_]+): (?:otherwise|integerOr|days)\(/gm)].map(([, name]) => name!),
  )
  expect(withDefault.length).toBeGreaterThan(25)
  const shown = settings.flatMap(({ names, defaults }) => (defaults[0] === '' ? [] : names))
  expect(withDefault.filter((name) => !shown.includes(name))).toEqual(inWords)
})
