import { expect, test } from 'bun:test'
import type { Execution } from '../../src/domain/execution/execution'
import { amount, nightly } from '../support/depth'
import { bugs } from '../support/simulation/bugs'
import { explore, history, shortestBroken } from '../support/simulation/explore'
import { type Bounds, type Fault, SmallWorld } from '../support/simulation/small-world'
import type { Bug } from '../support/simulation/view'
import { testAll } from '../support/test-all'

/** Two workers and some deposits of one lane, with at most so many faults of these kinds in a history. */
const bounds = (deposits: number, faults: number, ...kinds: Fault[]): Bounds => ({
  workers: 2,
  deposits,
  faults,
  kinds,
})

/** Explores all of a world, and reports its size. A broken rule is shown as the history that leads to it. */
function explored(within: Bounds, hear?: (words: string) => void) {
  const world = new SmallWorld(within)
  const { broken, ends, ...size } = explore(world, { hear })
  const shown = broken ? [...history(world, broken.choices).lines, ...broken.rules, `choices: ${broken.choices}`] : []
  expect(shown).toEqual([])
  const { deposits, faults, kinds } = within
  console.info(`small world: deposits ${deposits}, faults ${faults} (${kinds}), ${JSON.stringify(size)}`)
  return { ...size, ends }
}

const deathsMax = Number(process.env['DEATHS'] ?? amount('deaths in a history', { usual: 1, full: 2 }))
const writes = [
  'sends a transaction',
  'stores a deposit as PENDING',
  'stores a deposit as RUNNING',
  'stores a deposit as SUCCESS',
  'stores a deposit as taking lane',
  'writes to the deliveries',
  'writes to the lane',
  'writes to the relayer’s record',
]

test('small worlds: three deposits of one lane end well in every order, and after deaths at any write', () => {
  const deaths = new Set<string>()
  const hear = (words: string) => {
    const [, write] = /^Worker \d (.+), and dies$/.exec(words) ?? []
    if (write) deaths.add(write.replace(/deposit \d/, 'a deposit').replace(', and another write was faster', ''))
  }
  const { states, histories } = explored(bounds(3, deathsMax, 'crash'), hear)
  expect([...deaths].toSorted()).toEqual(writes)
  expect(states).toBeGreaterThan(10_000)
  expect(histories).toBeGreaterThan(1e20)
})

/** What a night adds. */
const nights: Bounds[] = [
  ...(['lost', 'twice', 'early', 'stale', 'tend'] as const).map((kind) => bounds(3, 1, kind)),
  ...(['stall', 'sleep'] as const).map((kind) => bounds(2, 1, kind)),
  bounds(2, 2, 'crash', 'lost', 'twice', 'early', 'stale', 'tend'),
]
for (const night of nights)
  nightly(`small worlds: ${night.deposits} deposits end well with ${night.faults} of ${night.kinds}`, () => {
    explored(night)
  })

test('small worlds: without faults, three deposits have one end for each order in which they take the lane', () => {
  expect(explored(bounds(3, 0)).ends.size).toBe(6)
})

const wholly = (within: Bounds) => explored({ ...within, isReduced: false }).ends
const kinds: Fault[] = ['crash', 'lost', 'twice', 'early', 'stale', 'tend', 'stall', 'sleep']

test('small worlds: operations whose order is fixed make no difference to any end', () => {
  expect(explored(bounds(1, 1, 'crash', 'early')).ends).toEqual(wholly(bounds(1, 1, 'crash', 'early')))
})

for (const kind of kinds)
  nightly(`small worlds: operations whose order is fixed make no difference with one fault: ${kind}`, () => {
    expect(explored(bounds(1, 1, kind)).ends).toEqual(wholly(bounds(1, 1, kind)))
  })

test('small worlds: equal states of different histories have the same ends', () => {
  const world = new SmallWorld(bounds(1, 1, 'crash', 'early'))
  const [merged, walked] = [explore(world), explore(world, { isMerged: false })]
  expect(walked.ends).toEqual(merged.ends)
  expect(walked.histories).toBe(merged.histories)
  expect(walked.states).toBeGreaterThan(merged.states)
})

/** Holds an execution for an hour while its order is sent. Only a death in between shows it. */
const lastingLease: Bug = ({ executions }) => ({
  executions: new Proxy(executions, {
    get: (target, name) =>
      name !== 'save'
        ? Reflect.get(target, name)
        : (record: Execution) =>
            target.save(record.state === 'PENDING' ? { ...record, dueAt: record.dueAt! + 3_600_000 } : record),
  }),
})

type Planted = { rule: string; switches?: number; fault?: Fault; isNightly?: true }
/** The rule that a bug breaks, with the fault and the switches between workers that it takes. */
const planted: Record<string, Planted> = {
  'there is no lane': { rule: 'two orders in one lane' },
  'a lane is taken without a condition': { rule: 'two orders in one lane', switches: 1 },
  'other deposits’ money is not reserved': { rule: 'spent another deposit’s money' },
  'a delivery is never accepted': { rule: 'I8 stuck' },
  'bytes are sent before they are stored': { rule: 'I12 sent before it was stored' },
  'a lease lasts an hour': { rule: 'I8 stuck', fault: 'crash' },
  'an execution is stored without a condition': {
    ...{ rule: 'decided while an order may still move money', fault: 'stale', switches: 1 },
  },
  'a nonce is assigned without a condition': {
    ...{ rule: 'I11 an order given two nonces', fault: 'sleep', switches: 1, isNightly: true },
  },
}

const bugOf = (name: string): Bug => bugs[name] ?? lastingLease
const worldWith = (name: string, faults = 1): SmallWorld => {
  const { fault } = planted[name]!
  return new SmallWorld(fault ? bounds(2, faults, fault) : bounds(2, 0), bugOf(name))
}
const foundIn = (name: string, { faults = 1, switches = planted[name]!.switches ?? 0 } = {}) =>
  shortestBroken(worldWith(name, faults), { switches, states: 20_000 })

function expectFound(name: string): void {
  const { rule, fault, switches = 0 } = planted[name]!
  const found = foundIn(name)
  expect(found?.rules[0]).toBe(rule)
  expect(history(worldWith(name), found!.choices).rules).toEqual(found!.rules)
  if (switches > 0) expect(foundIn(name, { switches: switches - 1 })).toBeNull()
  if (fault) expect(foundIn(name, { faults: 0 })).toBeNull()
}

testAll(Object.keys(planted).filter((name) => !planted[name]!.isNightly))(
  'small worlds: a planted bug is found with no more faults and switches than it takes, and its history can be repeated',
  expectFound,
)
for (const name of Object.keys(planted).filter((each) => planted[each]!.isNightly))
  nightly(`small worlds: a worker must sleep to show that ${name}`, () => expectFound(name))

test('small worlds: the shortest history that breaks a rule reads as a story', () => {
  const name = 'a lane is taken without a condition'
  const { lines, rules } = history(worldWith(name), foundIn(name)!.choices)
  expect([...lines, ...rules]).toEqual([
    'Worker 1 takes deposit 1',
    'Worker 1 reads the lane',
    'Worker 2 takes deposit 2',
    'Worker 2 reads the lane',
    'Worker 2 reads the lane', // the planted bug reads it again, for its version
    'Worker 2 writes to the lane',
    'Worker 2 reads the lane’s executions (unspentIn)',
    'Worker 2 reads the relayer’s record',
    'Worker 2 stores deposit 2 as PENDING',
    'Worker 2 reads the relayer’s record',
    'Worker 2 writes to the relayer’s record',
    'Worker 2 sends a transaction',
    'Worker 2 stores deposit 2 as RUNNING',
    'Worker 2 stores deposit 2 as RUNNING',
    'Worker 1 reads the lane',
    'Worker 1 writes to the lane',
    'Worker 1 reads the lane’s executions (unspentIn)',
    'Worker 1 reads the relayer’s record',
    'Worker 1 stores deposit 1 as PENDING',
    'two orders in one lane',
  ])
})
