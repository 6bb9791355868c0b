import { expect, test } from 'bun:test'
import { clock, migrations, replicas, streamsOf } from '../../src/app/doctor/servers'

/** What is said of MongoDB and of NATS where no test can start a server that is so. */
test.each([
  ['a sharded cluster', { msg: 'isdbgrid' }, 'GOOD'],
  ['a replica set of three', { setName: 'rs0', hosts: ['a', 'b', 'c'], isWritablePrimary: true }, 'GOOD'],
  ['a replica set of two', { setName: 'rs0', hosts: ['a', 'b'], isWritablePrimary: true }, 'BAD'],
  ['a replica set without a primary', { setName: 'rs0', hosts: ['a', 'b', 'c'], isWritablePrimary: false }, 'BAD'],
  ['one server', { isWritablePrimary: true }, 'UNKNOWN'],
] as const)('MongoDB that is %s', (_what, hello, verdict) => {
  const { advice, ...found } = replicas(hello as Parameters<typeof replicas>[0])
  expect([found.check, found.verdict, advice === null]).toEqual(['mongodb-replicas', verdict, verdict === 'GOOD'])
})

test('a clock of MongoDB that is apart by more than a second is bad, in either direction', () => {
  expect([0, 1_000, -1_000].map((aheadMs) => clock(aheadMs).verdict)).toEqual(['GOOD', 'GOOD', 'GOOD'])
  expect(clock(1_500)).toMatchObject({ verdict: 'BAD', sentence: 'Its clock is 1.5 seconds ahead of ours.' })
  expect(clock(-90_000)).toMatchObject({ verdict: 'BAD', sentence: 'Its clock is 90.0 seconds behind ours.' })
})

test('documents of an earlier release are named', () => {
  expect(migrations([]).verdict).toBe('GOOD')
  expect(migrations(['accounts', 'intents'])).toMatchObject({
    verdict: 'BAD',
    sentence: 'It has documents of an earlier release (accounts, intents).',
  })
})

test('a stream of too few servers, and servers that lag behind, are named', () => {
  const stream = (name: string, num_replicas: number, ...current: boolean[]) => ({
    config: { name, num_replicas },
    cluster: { replicas: current.map((each) => ({ current: each })) },
  })
  expect(streamsOf([], 3).map(({ verdict }) => verdict)).toEqual(['GOOD'])
  expect(streamsOf([stream('wakes', 3, true, true)], 3).map(({ verdict }) => verdict)).toEqual(['GOOD'])
  expect(streamsOf([stream('wakes', 1), stream('pointers', 3, true, false)], 3)).toMatchObject([
    { verdict: 'BAD', sentence: 'The stream wakes is kept by 1 servers, and NATS_REPLICAS is 3.' },
    { verdict: 'BAD', sentence: '1 servers lag behind in the stream pointers.' },
  ])
})
