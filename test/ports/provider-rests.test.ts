import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Connection } from 'mongoose'
import { withCircuitBreaker } from '../../src/adapters/aggregators/circuit-breaker'
import { connectMongo } from '../../src/adapters/mongo/engine/connection'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { RoutingError } from '../../src/domain/error'
import type { ProviderRest } from '../../src/domain/execution/provider-rest'
import type { Aggregator, RouteRequest } from '../../src/ports/aggregator'
import { addressOf } from '../support/deposits'
import { mongoUrl } from '../support/servers'

let connection: Connection
beforeAll(async () => {
  connection = await connectMongo(await mongoUrl())
})
afterAll(async () => {
  await connection.dropDatabase()
  await connection.close()
})

test('of ten processes on one store that meet refused credentials at one moment, one fails and one tells', async () => {
  const told: ProviderRest['reason'][] = []
  const provider: Aggregator = {
    name: 'one',
    quote: async () => {
      throw new RoutingError('PROVIDER_UNAUTHORIZED')
    },
    outcome: async () => ({ kind: 'PENDING' }),
    priceUsd: async () => null,
  }
  const onChange = ({ reason }: ProviderRest) => void told.push(reason)
  const processes = Array.from({ length: 10 }, (_, n) =>
    withCircuitBreaker(provider, () => 1_000, { rests: mongoStore(connection, `worker-${n}`).providerRests, onChange }),
  )
  const asked = { fromChainId: 8453, fromToken: addressOf(1), toChainId: 42161, toToken: addressOf(2) } as RouteRequest
  const signal = new AbortController().signal
  const said = await Promise.all(
    processes.map((one) => one.quote(asked, signal).catch(({ code, name }) => code ?? name)),
  )
  expect(said.toSorted()).toEqual(['PROVIDER_UNAUTHORIZED', ...Array(9).fill('ProviderResting')])
  expect(told).toEqual(['CREDENTIALS'])
  expect(await processes[9]!.health()).toMatchObject({ credentialsRefusedAt: 1_000, breaker: 'OPEN', healthy: false })
})
