import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { logLines } from '../../src/app/logging/log-lines'
import { apiWorld } from '../http/world'
import { everyMetric } from '../support/every-metric'

const docs = join(import.meta.dir, '..', '..', 'docs')
const read = (path: string): string => readFileSync(join(docs, path), 'utf8')
const cellsOf = (row: string) => row.split('|').map((cell) => cell.trim().replaceAll('`', ''))

test('the reference lists exactly the metrics that are served, with their types', async () => {
  const { text } = await apiWorld({ metrics: everyMetric() }).ask('/metrics')
  const served = [...text.matchAll(/^# TYPE switchyard_(\S+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`)
  const rows = read('reference/metrics.md')
    .match(/^\| `\w+` \| (counter|gauge|histogram) \|.*$/gm)!
    .map(cellsOf)
  expect(rows.map(([, name, type]) => `${name} ${type}`).toSorted()).toEqual(served.toSorted())
  const names = served.map((one) => one.split(' ')[0]!)
  const pages = ['reference/metrics.md', ...new Glob('operations/*.md').scanSync(docs)].map(read)
  const named = pages.flatMap((page) => [...page.matchAll(/(?<!\/)switchyard_(\w+)/g)])
  for (const [, name] of named) expect(names).toContain(name!.replace(/_bucket$/, ''))
})

test('the page about log lines gives an action for exactly the events above info, with their levels', () => {
  const acting = Object.entries(logLines).filter(([, { level }]) => level !== 'info' && level !== 'debug')
  const rows = read('reference/log-lines.md')
    .match(/^\| `[A-Z_]+` \| \w+ \|.*$/gm)!
    .map(cellsOf)
    .filter(([, , , , action]) => action !== '')
  expect(rows.map(([, event, level]) => `${event} ${level}`).toSorted()).toEqual(
    acting.map(([event, { level }]) => `${event} ${level}`).toSorted(),
  )
})

test('every metric in the text of the pages about alerts and log lines exists', async () => {
  const { text } = await apiWorld({ metrics: everyMetric() }).ask('/metrics')
  const metrics = [...text.matchAll(/^# TYPE switchyard_(\S+) /gm)].map(([, name]) => name!)
  const page = read('operations/alerts.md') + read('reference/log-lines.md')
  const named = [...page.matchAll(/`([a-z]+(?:_[a-z]+)+(?:_total|_seconds|_blocks))`/g)].map(([, name]) => name!)
  expect(named.length).toBeGreaterThan(2)
  expect(named.filter((name) => !metrics.includes(name))).toEqual([])
})
