import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import {
  clock,
  durability,
  migrations,
  natsClock,
  replicas,
  signerLogKnown,
  streamsOf,
} from '../../src/app/doctor/servers'
import { testAll } from '../support/test-all'

/** What is said of MongoDB and of NATS where no test can start a server that is so. */
testAll([
  ['a sharded cluster', { msg: 'isdbgrid' }, 'GOOD'],
  ['a replica set of three', { setName: 'rs0', hosts: ['a', 'b', 'c'], isWritablePrimary: true }, 'GOOD'],
  ['a replica set of two', { setName: 'rs0', hosts: ['a', 'b'], isWritablePrimary: true }, 'BAD'],
  ['a replica set without a primary', { setName: 'rs0', hosts: ['a', 'b', 'c'], isWritablePrimary: false }, 'BAD'],
  ['one server', { isWritablePrimary: true }, 'UNKNOWN'],
] as const)(
  'MongoDB is judged by what it is: one server, a replica set or a sharded cluster',
  (_what, hello, verdict) => {
    const { advice, ...found } = replicas(hello as Parameters<typeof replicas>[0])
    expect([found.check, found.verdict, advice === null]).toEqual(['mongodb-replicas', verdict, verdict === 'GOOD'])
  },
)

test('a clock of MongoDB that is apart by more than a second is bad, in either direction', () => {
  expect([0, 1_000, -1_000].map((aheadMs) => clock(aheadMs).verdict)).toEqual(['GOOD', 'GOOD', 'GOOD'])
  expect(clock(1_500)).toMatchObject({
    check: 'mongodb-clock',
    verdict: 'BAD',
    sentence: 'Its clock is 1.5 seconds ahead of ours.',
  })
  expect(clock(-90_000)).toMatchObject({ verdict: 'BAD', sentence: 'Its clock is 90.0 seconds behind ours.' })
})

test('a clock of NATS is held to the same, and one that nothing tells is unknown', () => {
  const now = 1_800_000_000_000
  const at = (aheadMs: number) => natsClock(new Date(now + aheadMs).toISOString(), now)
  expect([at(0), at(999), at(-999)].map(({ verdict }) => verdict)).toEqual(['GOOD', 'GOOD', 'GOOD'])
  expect(at(2_500)).toMatchObject({
    check: 'nats-clock',
    verdict: 'BAD',
    sentence: 'Its clock is 2.5 seconds ahead of ours.',
  })
  expect(natsClock(undefined, now).verdict).toBe('UNKNOWN')
})

testAll([
  ['on a disk', { wiredTiger: {} }, 'GOOD'],
  ['in memory alone', { inMemory: {} }, 'BAD'],
  ['in a way that it does not tell', { count: 1 }, 'UNKNOWN'],
  ['nowhere yet', null, 'UNKNOWN'],
] as const)('MongoDB is judged by where it keeps its documents', (_where, stats, verdict) => {
  expect(durability(stats)).toMatchObject({ check: 'mongodb-durability', verdict })
})

test('documents of an earlier release are named', () => {
  expect(migrations([]).verdict).toBe('GOOD')
  expect(migrations(['accounts', 'intents'])).toMatchObject({
    check: 'mongodb-migrations',
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
    {
      check: 'nats-streams',
      verdict: 'BAD',
      sentence: 'The stream wakes is kept by 1 servers, and NATS_REPLICAS is 3.',
    },
    { verdict: 'BAD', sentence: '1 servers lag behind in the stream pointers.' },
  ])
})

test('a log of the signer that is shorter than workers knew it, or is refused by them, is bad', () => {
  const last = 'f'.repeat(64)
  const known = { id: 'signer', version: 1, count: 5, last, other: null }
  const said = (heard: { count: number; last: string } | undefined, other: typeof known.other | object = null) =>
    signerLogKnown({ ...known, other } as Parameters<typeof signerLogKnown>[0], heard)
  expect([said(undefined), said({ count: 5, last }), said({ count: 6, last })].map(({ verdict }) => verdict)).toEqual([
    'GOOD',
    'GOOD',
    'GOOD',
  ])
  expect(said({ count: 4, last })).toMatchObject({ check: 'signer-log', verdict: 'BAD' })
  expect(said({ count: 5, last }, { count: 4, last }).verdict).toBe('BAD')
})

test('every check of the doctor is in a test with a fault that it finds', async () => {
  const texts = async (pattern: string) =>
    (await Promise.all([...new Glob(pattern).scanSync('.')].map((path) => Bun.file(path).text()))).join('\n')
  const [own, tests] = await Promise.all([texts('src/app/doctor/*.ts'), texts('test/{app,cli}/*.test.ts')])
  const found = own.matchAll(/about\(\s*'([a-z-]+)'|name: '(node-[a-z-]+)'/g)
  const names = new Set([...found].map(([, first, second]) => first ?? second!))
  expect(names.size).toBeGreaterThan(35)
  // What none of the others foresaw: a test of it would have to plant a bug.
  names.delete('examination')
  const isTested = (name: string) =>
    ["'", '`'].some((quote) => tests.includes(`${quote}${name}${quote}`) || tests.includes(`${quote}${name}: `))
  expect([...names].filter((name) => !isTested(name))).toEqual([])
})
