import { expect, test } from 'bun:test'
import { everyMetric } from '../../support/every-metric'
import { apiWorld } from '../world'

test('a gauge that cannot be read is left out rather than 0, which alerts and autoscaling would believe', async () => {
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
