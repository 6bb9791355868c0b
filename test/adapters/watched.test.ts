import { expect, test } from 'bun:test'
import { watched } from '../../src/adapters/aggregators/watched'
import { RoutingError } from '../../src/domain/error'
import { type Aggregator, ProviderResting, type RouteRequest } from '../../src/ports/aggregator'

const signal = AbortSignal.timeout(60_000)
const request = {} as RouteRequest

function provider(answers: () => Promise<null>) {
  let calls = 0
  const aggregator: Aggregator = {
    name: 'one',
    quote: () => {
      calls += 1
      return answers()
    },
    outcome: async () => ({ kind: 'PENDING' }),
    priceUsd: async () => null,
  }
  return { aggregator, calls: () => calls }
}
const fails = async () => {
  throw new RoutingError('PROVIDER_FAILED')
}
const refuses = async () => {
  throw new RoutingError('PROVIDER_REFUSED')
}
async function askOften(aggregator: Aggregator, times: number): Promise<unknown[]> {
  const errors: unknown[] = []
  for (let n = 0; n < times; n++) await aggregator.quote(request, signal).catch((error) => errors.push(error))
  return errors
}

test('watched: a provider that only fails is left alone', async () => {
  const { aggregator, calls } = provider(fails)
  const errors = await askOften(
    watched(aggregator, () => 0),
    100,
  )

  expect(calls()).toBeLessThan(100)
  expect(errors.at(-1)).toBeInstanceOf(ProviderResting)
})

test('watched: a refusal is an answer, however often it comes', async () => {
  const { aggregator, calls } = provider(refuses)
  const errors = await askOften(
    watched(aggregator, () => 0),
    100,
  )

  expect(calls()).toBe(100)
  expect(errors.at(-1)).toBeInstanceOf(RoutingError)
})

test('watched: two providers do not share a breaker', async () => {
  const [bad, good] = [provider(fails), provider(async () => null)]
  const [first, second] = [watched(bad.aggregator, () => 0), watched(good.aggregator, () => 0)]
  await askOften(first, 100)

  expect(await askOften(second, 5)).toEqual([])
  expect(first.health()).toMatchObject({ healthy: false, breaker: 'OPEN' })
  expect(second.health()).toMatchObject({ healthy: true, breaker: 'CLOSED', errorRate: 0 })
})

test('watched: health speaks of the last ten minutes', async () => {
  let time = 0
  const { aggregator } = provider(refuses)
  const one = watched(aggregator, () => time)
  await askOften(one, 1)
  time = 11 * 60_000

  expect(one.health()).toMatchObject({ p50Ms: null, updatedAt: null })
})
