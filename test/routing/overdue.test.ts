import { expect, test } from 'bun:test'
import { chainKeyOf, perChain } from '../../src/domain/chain/chain'
import { boundMsOf, type Component, type Observation, type OverdueKind } from '../../src/domain/execution/overdue'
import type { Overdue, OverdueReport } from '../../src/ports/observing'
import { overdueNow } from '../../src/routing/overdue/overdue-now'
import { reportOverdue } from '../../src/routing/overdue/report-overdue'
import { executionOf, sightingOf } from '../support/deposits'
import { recordsInMemory } from '../support/records'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const at = 1_800_000_000_000

/** The reports of some processes about a list that a test changes. */
function reporting() {
  const clock = { now: at }
  const list: string[] = []
  const lines: string[] = []
  const overdueReports = recordsInMemory<OverdueReport>()
  const listeners = {
    onOverdue: ({ id }: Overdue, isAgain: boolean) => void lines.push(isAgain ? `${id} again` : id),
    onOver: ({ id, kind, chainId }: { id: string; kind: string; chainId: unknown }) =>
      void lines.push(`${id} over ${kind} ${chainId}`),
    onMore: (count: number) => void lines.push(`${count} more`),
  }
  const overdue = { list: async () => list.map((id) => ({ id, kind: 'LANE', chainId: 1 }) as unknown as Overdue) }
  const ports = { overdueReports, overdue, listeners, now: () => clock.now }
  /** Reports after a time. Returns the new lines. */
  const after = async (ms: number, others: Partial<typeof ports> = {}) => {
    clock.now += ms
    lines.length = 0
    const isClaimed = await reportOverdue({ ...ports, ...others })
    return [isClaimed, ...lines]
  }
  return { list, overdueReports, ports, lines, after }
}

test('an overdue item is logged once, again after an hour, and once more when it is over', async () => {
  const { list, after } = reporting()
  list.push('a')
  expect(await after(0)).toEqual([true, 'a'])
  list.push('b')
  expect(await after(15_000)).toEqual([true, 'b'])
  expect(await after(hourMs - 15_001)).toEqual([true])
  expect(await after(15_000)).toEqual([true, 'a again'])
  list.shift()
  expect(await after(15_000)).toEqual([true, 'b again', 'a over LANE 1'])
  expect(await after(15_000)).toEqual([true])
  list.push('a')
  expect(await after(15_000)).toEqual([true, 'a'])
})

test('one process claims each interval of fifteen seconds, before it looks for anything', async () => {
  const { list, ports, after, overdueReports, lines } = reporting()
  list.push('a')
  let looks = 0
  const look = async () => {
    looks += 1
  }
  expect([await reportOverdue(ports, look), lines, looks]).toEqual([true, ['a'], 1])
  expect([await reportOverdue(ports, look), looks]).toEqual([false, 1])
  expect(await after(14_999)).toEqual([false])
  const lost = { overdueReports: { ...overdueReports, save: async () => null } }
  expect(await after(1, lost)).toEqual([false])
  expect(await after(0)).toEqual([true])
})

test('a report is stored before it is logged', async () => {
  const { list, after, overdueReports } = reporting()
  list.push('a')
  let saves = 0
  const save: typeof overdueReports.save = async (record) => (++saves === 2 ? null : overdueReports.save(record))
  expect(await after(0, { overdueReports: { ...overdueReports, save } })).toEqual([false])
  expect(await after(15_000)).toEqual([true, 'a'])
})

test('twenty items are logged at a time, and the others are counted', async () => {
  const { list, after } = reporting()
  list.push(...Array.from({ length: 45 }, (_, n) => `${n}`))
  const [, ...first] = await after(0)
  expect(first).toEqual([...list.slice(0, 20), '25 more'])
  expect((await after(15_000)).at(-1)).toBe('5 more')
  expect(await after(15_000)).toEqual([true, ...list.slice(40)])
})

type Found = Partial<{
  observations: Observation[]
  due: number[]
  cursors: Record<string, number>
  late: ReturnType<typeof executionOf>[]
  sightings: ReturnType<typeof sightingOf>[]
}>
const component = (kind: OverdueKind, chainId: Component['chainId'] = null): Component => ({
  ...{ kind, chainId, provider: null, subject: null },
})
const seen = (of: Component, okAt: number, checkedAt: number): Observation => ({ ...of, id: 'o', okAt, at: checkedAt })

/** Returns what these records make overdue, and the queries that the store got. */
function found({ observations = [], due = [], cursors = {}, late = [], sightings = [] }: Found) {
  const clock = { now: at }
  const asked: unknown[][] = []
  const noting =
    <Given extends unknown[], Answer>(name: string, answer: (...given: Given) => Answer) =>
    async (...given: Given): Promise<Answer> => {
      asked.push([name, ...given])
      return answer(...given)
    }
  const overdue = overdueNow({
    executions: { due: noting('due', () => due.map((dueAt) => ({ dueAt }))) },
    executionQueries: {
      overdue: noting('overdue', () => late),
      countOverdue: noting('countOverdue', () => [{ kind: 'LANE', chainId: 1, count: 7 }]),
    },
    depositQueries: { list: noting('list', () => sightings.map((sighting) => ({ sighting }))) },
    scanCursors: { load: async (key: string) => (key in cursors ? { updatedAt: cursors[key] } : null) },
    observations: { all: noting('all', () => observations) },
    chains: perChain(() => ({ confirmations: 10 })),
    now: () => clock.now,
  } as never)
  return { ...overdue, asked, clock }
}
const idsOf = async (records: Found) => (await found(records).components()).map(({ id }) => id)

test('a component that must report is overdue once its last good report is too old, if the release has its chain', async () => {
  const [sweep, boundMs] = [component('SWEEP', 1), boundMsOf('SWEEP', 1)]
  expect(await idsOf({ observations: [seen(sweep, at - boundMs, at)] })).toEqual([])
  expect(await idsOf({ observations: [seen(sweep, at - boundMs - 1, at - 9 * hourMs)] })).toEqual(['SWEEP:1'])
  expect(await idsOf({ observations: [seen(component('SWEEP', 999 as never), 0, at)] })).toEqual([])
  expect(await idsOf({ observations: [seen(component('AUDIT'), 0, at)] })).toEqual(['AUDIT'])
})

test('a component that is checked is overdue while its last check failed, until nothing checks it for an hour', async () => {
  const gas = { ...component('RELAYER_GAS', 1), subject: '0xa' }
  expect(await idsOf({ observations: [seen(gas, at - 9, at - 5)] })).toEqual(['RELAYER_GAS:1:0xa'])
  expect(await idsOf({ observations: [seen(gas, at - 5, at - 5)] })).toEqual([])
  expect(await idsOf({ observations: [seen(gas, at - 9 * hourMs, at - hourMs + 1)] })).toEqual(['RELAYER_GAS:1:0xa'])
  expect(await idsOf({ observations: [seen(gas, at - 9 * hourMs, at - hourMs)] })).toEqual([])
})

test('an event stays listed for its time', async () => {
  const listed = async (ms: number) => idsOf({ observations: [seen(component('POISON'), at - ms, at - ms)] })
  expect([await listed(1), await listed(hourMs - 1), await listed(hourMs)]).toEqual([['POISON'], ['POISON'], []])
})

test('the store itself shows due executions that no worker takes, and scanners that stand still', async () => {
  const boundMs = boundMsOf('WAKES', null)
  expect(await idsOf({ due: [at - boundMs] })).toEqual([])
  const { components, asked } = found({ due: [at - boundMs - 1] })
  expect(await components()).toMatchObject([{ id: 'WAKES', since: at - boundMs - 1, by: at - 1, chainId: null }])
  expect(asked.find(([name]) => name === 'due')).toEqual(['due', at, -1, 1])
  const stale = at - boundMsOf('SCANNER', 8453) - 1
  const cursors = { [chainKeyOf(8453)]: stale, [chainKeyOf(1)]: at }
  const [scanner, ...more] = await found({ cursors }).components()
  expect([scanner, more]).toMatchObject([
    { id: 'SCANNER:8453', chainId: 8453, depositId: null, organizationId: null },
    [],
  ])
  expect(scanner!.message).toStartWith('The scanner of base has stopped')
})

test('a sentence names the chain, provider or relayer of its component', async () => {
  const refusing = { ...component('PROVIDER_REFUSES'), provider: 'lifi' }
  const unexplained = { ...component('UNEXPLAINED', 999 as never), subject: 'a sum' }
  const nameless = component('PROVIDER_REFUSES')
  const observations = [refusing, unexplained, nameless].map((each) => seen(each, 0, at - 1))
  expect((await found({ observations }).components()).map(({ message }) => message.split('.')[0])).toEqual([
    ...['lifi refuses our credentials', 'Money on chain 999 is not explained: a sum', 'it refuses our credentials'],
  ])
})

test('an execution and a transfer are overdue by their own deadlines, longest first', async () => {
  const boundMs = boundMsOf('ROUTING', null)
  const waiting = (n: number, ms: number, changed = {}) =>
    executionOf(n, { dueAt: at - ms, ...changed }, { detectedAt: at - ms })
  const late = [waiting(1, boundMs + 5), waiting(2, boundMs), waiting(3, boundMs + 9, { createdAt: at - boundMs })]
  const long = boundMsOf('CONFIRMING', 8453) + hourMs
  const old = sightingOf(4, { detectedAt: at - long })
  const young = sightingOf(5, { detectedAt: at - minuteMs })
  const unlisted = { ...sightingOf(6, { detectedAt: at - long }), stage: 'UNSUPPORTED' } as never
  const { list, asked } = found({ late, sightings: [young, old, unlisted], due: [at - hourMs] })
  const all = await list('org_1')
  expect(all.map(({ id }) => id)).toEqual([`CONFIRMING:${old.id}`, `ROUTING:${late[2]!.id}`, `ROUTING:${late[0]!.id}`])
  expect(all[0]).toMatchObject({ depositId: old.id, executionId: null, organizationId: 'org_1', since: at - long })
  expect(all[1]).toMatchObject({ depositId: late[2]!.id, executionId: late[2]!.id, chainId: 8453, provider: null })
  expect(all[2]).toMatchObject({ executionId: null, since: at - boundMs - 5, by: at - 5, organizationId: 'org_1' })
  expect(asked).toContainEqual(['overdue', { organizationId: 'org_1' }, at, 200])
  const createdTo = at - boundMsOf('CONFIRMING', null)
  expect(asked).toContainEqual([
    ...['list', { organizationId: 'org_1', stage: ['CONFIRMING'], createdTo }, { limit: 200 }],
  ])
})

test('only operators see what is of no organization, and what is overdue equally long is in the order of its ids', async () => {
  const observations = [component('SWEEP', 8453), component('SWEEP', 1)].map((each) => seen(each, 0, at))
  const { list, counts, asked } = found({ observations })
  expect((await list(null)).map(({ id }) => id)).toEqual(['SWEEP:1', 'SWEEP:8453'])
  expect(await list('org_1')).toEqual([])
  expect(await counts()).toEqual([
    { kind: 'LANE', chainId: 1, count: 7 },
    { kind: 'SWEEP', chainId: 8453, count: 1 },
    { kind: 'SWEEP', chainId: 1, count: 1 },
  ])
  expect(asked).toContainEqual(['countOverdue', at, 10_000])
})

test('an overdue kind is counted for each chain', async () => {
  const relayers = ['0xa', '0xb'].map((subject) => seen({ ...component('RELAYER_GAS', 1), subject }, at - 9, at - 5))
  const [, ...counted] = await found({ observations: relayers }).counts()
  expect(counted).toEqual([{ kind: 'RELAYER_GAS', chainId: 1, count: 2 }])
})

test('many viewers share one answer for two seconds', async () => {
  const { list, components, counts, asked, clock } = found({})
  const ask = async () => {
    for (const each of [() => list(null), components, counts]) await each()
    return asked.filter(([name]) => name === 'all').length
  }
  expect(await ask()).toBe(3)
  clock.now += 1_999
  expect(await ask()).toBe(3)
  clock.now += 1
  expect(await ask()).toBe(6)
})
