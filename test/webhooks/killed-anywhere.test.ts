import { expect, test } from 'bun:test'
import type { RunPorts } from '../../src/webhooks/run-ports'
import { Life, type Point } from '../support/mortal'
import { answered, sendingWorld } from './sending'

const count = 12

type World = ReturnType<typeof sendingWorld>

/** The ports of a process that is killed after one of its writes or posts. */
const mortal = (world: World, life: Life): Partial<RunPorts> => ({
  webhookEndpoints: life.of(world.webhookEndpoints, 'endpoints', ['save']),
  webhookFeeds: life.of(world.webhookFeeds, 'feeds', ['save']),
  webhookDeliveries: life.of(world.webhookDeliveries, 'deliveries', ['save']),
  post: life.of({ post: world.post }, 'webhooks', ['post']).post,
})

/** A process posts events and is killed at a point. Another one continues when the lease has ended. */
async function lived(endsAfter: Point | null) {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const failed = new Set<string>()
  world.answers(async (_url, { headers }) => {
    const id = headers['webhook-id']!
    const isToFail = Number(id.slice(-2)) % 3 === 0 && !failed.has(id)
    failed.add(id)
    return answered(isToFail ? 500 : 200)
  })
  const life = new Life(endsAfter)
  const first = world.process('first', mortal(world, life))
  const ids: string[] = []
  const working = (async () => {
    for (let n = 0; n < count; n++) {
      ids.push(world.happen())
      world.clock.now += 400
      await first.work(1)
    }
  })()
  await Promise.race([working, life.died])
  while (ids.length < count) {
    ids.push(world.happen())
    world.clock.now += 400
  }
  const second = world.process('second')
  for (let n = 0; n < 12; n++) {
    world.clock.now += 31_000
    await second.work()
  }
  return { world, ids, writes: life.writes }
}

test('every event is stored once and delivered if a process is killed after any of its writes or posts', async () => {
  const { writes } = await lived(null)
  const points = writes.map(
    (write, n): Point => ({ write, times: writes.slice(0, n + 1).filter((one) => one === write).length }),
  )
  expect(points.length).toBeGreaterThan(2 * count)
  for (const point of points) {
    const { world, ids } = await lived(point)
    expect([point, [...new Set(world.idsTo('whe_1'))].toSorted()]).toEqual([point, ids])
    const stored = world.webhookDeliveries.all()
    expect([point, stored.length, stored.filter(({ status }) => status !== 'DELIVERED')]).toEqual([point, count, []])
  }
})
