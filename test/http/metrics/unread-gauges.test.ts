import { expect, spyOn, test } from 'bun:test'
import v8 from 'node:v8'
import { everyMetric } from '../../support/every-metric'
import { apiWorld } from '../world'

test('an unreadable gauge is left out instead of 0, which alerts and autoscaling would trust', async () => {
  const all = everyMetric()
  const named = all.gauges.map(({ name }) => name)
  expect(named).toContain('due_executions')
  const read = () => Promise.reject(new Error('MongoDB is away'))
  const gauges = all.gauges.map((gauge) => (gauge.name === 'build_info' ? gauge : { ...gauge, read }))
  const { ask } = apiWorld({ metrics: { ...all, gauges } })
  const { text } = await ask('/metrics')
  const said = [...text.matchAll(/^switchyard_(\w+)[{ ]/gm)].map(([, name]) => name!)
  expect(named.filter((name) => said.includes(name))).toEqual(['build_info'])
})

test('a scrape does not walk the whole heap, which would block the process', async () => {
  const { ask } = apiWorld({ metrics: everyMetric() })
  await ask('/metrics') // the first scrape loads the library, which checks once whether such figures exist
  const walks = spyOn(v8, 'getHeapSpaceStatistics')
  const { text } = await ask('/metrics')
  expect(text).toContain('\nnodejs_heap_size_used_bytes ')
  expect(text).not.toContain('nodejs_heap_space')
  expect(walks).not.toHaveBeenCalled()
  walks.mockRestore()
})
