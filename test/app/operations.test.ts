import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { logLines } from '../../src/app/logging/log-lines'
import { apiWorld } from '../http/world'
import { everyMetric } from '../support/every-metric'

const document = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'operations.md'), 'utf8')
const cellsOf = (row: string) => row.split('|').map((cell) => cell.trim().replaceAll('`', ''))

test('the document lists exactly the metrics that are served, with their types', async () => {
  const { text } = await apiWorld({ metrics: everyMetric() }).ask('/metrics')
  const served = [...text.matchAll(/^# TYPE switchyard_(\S+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`)
  const rows = document.match(/^\| `\w+` \| (counter|gauge|histogram) \|.*$/gm)!.map(cellsOf)
  expect(rows.map(([, name, type]) => `${name} ${type}`).toSorted()).toEqual(served.toSorted())
  const named = [...document.matchAll(/switchyard_(\w+)/g)].map(([, name]) => name!.replace(/_bucket$/, ''))
  for (const name of named.filter(Boolean)) expect(served.map((one) => one.split(' ')[0])).toContain(name)
})

test('the document lists exactly the events that need an action, with their levels', () => {
  const acting = Object.entries(logLines).filter(([, { level }]) => level !== 'info' && level !== 'debug')
  const rows = document.match(/^\| `[A-Z_]+` \| (fatal|error|warn) \|.*$/gm)!.map(cellsOf)
  expect(rows.map(([, event, level]) => `${event} ${level}`).toSorted()).toEqual(
    acting.map(([event, { level }]) => `${event} ${level}`).toSorted(),
  )
})
