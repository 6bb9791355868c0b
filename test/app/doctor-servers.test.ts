import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { clockFinding } from '../../src/app/doctor/clock-finding'
import { about } from '../../src/app/doctor/finding'
import { durability, migrations, natsClock, replicas, signerLogFinding, streamsOf } from '../../src/app/doctor/servers'
import { testAll } from '../support/test-all'

/** Verdicts on MongoDB and NATS setups that no test can start. */
testAll([
  ['a sharded cluster', { msg: 'isdbgrid' }, 'GOOD'],
  ['a replica set of three', { setName: 'rs0', hosts: ['a', 'b', 'c'], isWritablePrimary: true }, 'GOOD'],
  ['a replica set of two', { setName: 'rs0', hosts: ['a', 'b'], isWritablePrimary: true }, 'BAD'],
  ['a replica set without a primary', { setName: 'rs0', hosts: ['a', 'b', 'c'], isWritablePrimary: false }, 'BAD'],
  ['one server', { isWritablePrimary: true }, 'UNKNOWN'],
] as const)(
  'MongoDB is judged by its type: one server, a replica set or a sharded cluster',
  (_what, hello, verdict) => {
    const { advice, ...found } = replicas(hello as Parameters<typeof replicas>[0])
    expect([found.check, found.verdict, advice === null]).toEqual(['mongodb-replicas', verdict, verdict === 'GOOD'])
  },
)

test('a clock difference above a second is bad, or unknown if a slow response explains it', async () => {
  const line = about('mongodb-clock', 'MongoDB')
  const rows: [number, number, string, string?][] = [
    // Columns: the apparent lead, its uncertainty, and the verdict.
    [0, 1, 'GOOD'],
    [999, 1, 'GOOD'],
    [-999, 1, 'GOOD'],
    [1_500, 1, 'BAD', 'Its clock is 1.5 seconds ahead of ours.'],
    [-90_000, 1, 'BAD', 'Its clock is 90.0 seconds behind ours.'],
    [-90_000, 6_000, 'BAD', 'Its clock is 90.0 seconds behind ours.'],
    [1_000, 1_000, 'UNKNOWN', 'Its answer took 2.0 seconds, too long to compare its clock with ours.'],
    [3_300, 3_300, 'UNKNOWN', 'Its answer took 6.6 seconds, too long to compare its clock with ours.'],
    [0, 3_000, 'UNKNOWN', 'Its answer took 6.0 seconds, too long to compare its clock with ours.'],
  ]
  for (const [aheadMs, errorMs, verdict, sentence = 'Its clock agrees with ours.'] of rows)
    expect(clockFinding(line, { aheadMs, errorMs }, 1_000)).toMatchObject({ verdict, sentence })
})

test('an unreported NATS clock is unknown', () => {
  expect(natsClock({ aheadMs: 2_500, errorMs: 1 })).toMatchObject({ check: 'nats-clock', verdict: 'BAD' })
  expect(natsClock({ aheadMs: Number.NaN, errorMs: 1 })).toMatchObject({ verdict: 'UNKNOWN' })
})

testAll([
  ['on a disk', { wiredTiger: {} }, 'GOOD'],
  ['in memory alone', { inMemory: {} }, 'BAD'],
  ['in an unreported way', { count: 1 }, 'UNKNOWN'],
  ['nowhere yet', null, 'UNKNOWN'],
] as const)('MongoDB is judged by the place of its documents', (_where, stats, verdict) => {
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
      sentence: 'The stream wakes has 1 replicas, but NATS_REPLICAS is 3.',
    },
    { verdict: 'BAD', sentence: '1 servers lag behind in the stream pointers.' },
  ])
})

test('a signing log that is shorter than workers remember, or that they reject, is bad', () => {
  const last = 'f'.repeat(64)
  const known = { id: 'signer', version: 1, count: 5, last, other: null }
  const said = (heard: { count: number; last: string } | undefined, other: typeof known.other | object = null) =>
    signerLogFinding({ ...known, other } as Parameters<typeof signerLogFinding>[0], heard)
  expect([said(undefined), said({ count: 5, last }), said({ count: 6, last })].map(({ verdict }) => verdict)).toEqual([
    'GOOD',
    'GOOD',
    'GOOD',
  ])
  expect(said({ count: 4, last })).toMatchObject({ check: 'signer-log', verdict: 'BAD' })
  expect(said({ count: 5, last }, { count: 4, last }).verdict).toBe('BAD')
})

test('every check of the doctor has a test with a fault that it finds', async () => {
  const texts = async (pattern: string) =>
    (await Promise.all([...new Glob(pattern).scanSync('.')].map((path) => Bun.file(path).text()))).join('\n')
  const [own, tests] = await Promise.all([texts('src/app/doctor/*.ts'), texts('test/{app,cli}/*.test.ts')])
  const found = own.matchAll(/about\(\s*'([a-z-]+)'|name: '(node-[a-z-]+)'/g)
  const names = new Set([...found].map(([, first, second]) => first ?? second!))
  expect(names.size).toBeGreaterThan(35)
  // The check for unforeseen errors: a test of it would have to plant a bug.
  names.delete('examination')
  const isTested = (name: string) =>
    ["'", '`'].some((quote) => tests.includes(`${quote}${name}${quote}`) || tests.includes(`${quote}${name}: `))
  expect([...names].filter((name) => !isTested(name))).toEqual([])
})
