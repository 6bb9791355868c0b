import { expect, test } from 'bun:test'
import { type ExecutionGaugePorts, executionGauges } from '../../../src/http/metrics/gauges'
import { answered, sendingWorld } from '../../webhooks/sending'

const [second, minute] = [1_000, 60_000]
type World = ReturnType<typeof sendingWorld>

function behindIn(world: World): () => Promise<number> {
  const ports = { ...world, now: () => world.clock.now } as unknown as ExecutionGaugePorts
  const gauge = executionGauges(ports).find(({ name }) => name === 'webhook_endpoints_behind')!
  return async () => (await gauge.read())[0]!.value
}

test('an endpoint without a reading process is behind after five minutes, until it is read', async () => {
  const world = sendingWorld()
  const behind = behindIn(world)
  for (const id of ['whe_1', 'whe_2', 'whe_3']) await world.endpoint(id)
  const process = world.process('one')
  await process.work()
  await process.end()
  await world.change('whe_2', { enabled: false, disabledReason: 'BY_REQUEST' })
  await world.change('whe_3', { deletedAt: world.clock.now })
  await world.endpoint('whe_never_read')
  world.clock.now += 4 * minute
  expect(await behind()).toBe(0)
  world.happen()
  world.clock.now += minute + second
  expect(await behind()).toBe(2)
  expect(await world.webhookDeliveries.countDue(world.clock.now, 10, [])).toBe(0)
  const other = world.process('other')
  for (let n = 0; n < 3; n++) {
    await other.work()
    world.clock.now += 15 * second
  }
  expect(await behind()).toBe(0)
})

test('no endpoint is behind while a process posts, for any responses, queues and creation times', async () => {
  const world = sendingWorld()
  const behind = behindIn(world)
  const days = 6 * 24 * 60 * minute
  await world.endpoint('whe_again', { organizationId: 'org_again' })
  await world.process('before').work()
  await world.change('whe_again', { enabled: false, disabledReason: 'FAILING' })
  for (let n = 0; n < 300; n++) world.happen('execution.running', 'org_again')
  world.clock.now += days
  for (const name of ['idle', 'failing', 'full', 'unsigned', 'silent'])
    await world.endpoint(`whe_${name}`, {
      organizationId: `org_${name}`,
      ...(name === 'unsigned' && { secret: 'of another key' }),
    })
  let waiting: { until: number; resolve: () => void }[] = []
  world.answers(async (url) => {
    const name = url.split('whe_')[1]!
    if (name === 'failing') return answered(500)
    if (name !== 'full' && name !== 'silent') return answered(200)
    await new Promise<void>((resolve) =>
      waiting.push({ until: world.clock.now + (name === 'full' ? 1 : 15) * second, resolve }),
    )
    return name === 'full' ? answered(200) : { ...answered(0), statusCode: null, durationMs: 15_000, error: 'TIMEOUT' }
  })
  const process = world.process('one')
  for (let n = 0; n < 8_000; n++) world.happen('execution.running', 'org_full')
  const counts = new Set<number>()
  for (let at = 0; at < 12 * minute; at += second) {
    if (at === 2 * minute) await world.change('whe_again', { enabled: true, enabledAt: world.clock.now })
    if (at === 3 * minute) await world.endpoint('whe_new', { organizationId: 'org_new' })
    if (at % (5 * second) === 0)
      for (const name of ['failing', 'full', 'unsigned', 'silent']) world.happen('execution.running', `org_${name}`)
    for (let ticks = 0; ticks < 10; ticks++) await process.tick()
    for (const { resolve } of waiting.filter(({ until }) => until <= world.clock.now)) resolve()
    waiting = waiting.filter(({ until }) => until > world.clock.now)
    counts.add(await behind())
    world.clock.now += second
  }
  expect([...counts]).toEqual([0])
  expect(world.idsTo('whe_again')).toHaveLength(300)
  expect(world.idsTo('whe_full').length).toBeLessThan(8_000)
  expect(world.webhookFeeds.all()).toHaveLength(7)
})
