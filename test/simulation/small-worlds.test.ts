import { expect, test } from 'bun:test'
import type { Execution } from '../../src/domain/execution/execution'
import { amount, nightly } from '../support/depth'
import { bugs } from '../support/simulation/bugs'
import { explore, history, shortestBroken } from '../support/simulation/explore'
import { bounds, explored } from '../support/simulation/explored'
import { type Bounds, type Fault, SmallWorld } from '../support/simulation/small-world'
import type { Bug } from '../support/simulation/view'
import { expectAllToKeep, testAll } from '../support/test-all'

const kinds: Fault[] = ['crash', 'lost', 'twice', 'early', 'stale', 'tend', 'stall', 'sleep']

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
  const report = (words: string) => {
    const [, write] = /^Worker \d (.+), and dies$/.exec(words) ?? []
    if (write) deaths.add(write.replace(/deposit \d/, 'a deposit').replace(', and another write was faster', ''))
  }
  const { states, histories } = explored(bounds(3, deathsMax, 'crash'), report)
  expect([...deaths].toSorted()).toEqual(writes)
  expect(states).toBeGreaterThan(10_000)
  expect(histories).toBeGreaterThan(1e20)
})

/** Worlds of the nightly run only: each other fault, and two faults of two deposits. Sleep has its own file. */
const nights: Bounds[] = [
  ...kinds.filter((kind) => kind !== 'crash' && kind !== 'sleep').map((kind) => bounds(3, 1, kind)),
  bounds(2, 2, 'crash', 'lost', 'twice', 'early', 'stale', 'tend'),
]
for (const night of nights)
  nightly(
    `small worlds: ${night.deposits} deposits end well with ${night.faults} of ${night.kinds}`,
    () => void explored(night),
  )

test('small worlds: without faults, three deposits have one end for each order in which they take the lane', () => {
  expect(explored(bounds(3, 0)).ends.size).toBe(6)
})

const wholly = (within: Bounds) => explored({ ...within, isReduced: false }).ends
test('small worlds: operations whose order is fixed make no difference to any end', () => {
  expect(explored(bounds(1, 1, 'crash', 'early')).ends).toEqual(wholly(bounds(1, 1, 'crash', 'early')))
})

nightly('small worlds: operations whose order is fixed make no difference to any end, with each fault', () =>
  expectAllToKeep(kinds, (kind: Fault) =>
    expect(explored(bounds(1, 1, kind)).ends).toEqual(wholly(bounds(1, 1, kind))),
  ),
)

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

const tooEarly = 'decided while an order may still move money'
type Planted = { deposits: number; fault?: Fault; switches?: number; rule: string }
/** What it takes to show each planted bug, and the rule that its shortest history breaks. */
const planted: [bug: string, Planted][] = [
  ['there is no lane', { deposits: 2, rule: 'two orders in one lane' }],
  ['a lane is taken without a condition', { deposits: 2, switches: 1, rule: 'two orders in one lane' }],
  ['all that is in the account counts as the deposit’s', { deposits: 2, rule: 'spent another deposit’s money' }],
  ['a delivery is never accepted', { deposits: 1, rule: 'I8 stuck' }],
  ['bytes are sent before they are stored', { deposits: 1, rule: 'I12 sent before it was stored' }],
  ['a lease lasts an hour', { deposits: 1, fault: 'crash', rule: 'I8 stuck' }],
  ['an error ends an order that is on its way', { deposits: 1, fault: 'lost', rule: tooEarly }],
  ['an execution is stored without a condition', { deposits: 1, fault: 'twice', switches: 2, rule: tooEarly }],
  ['an execution is stored without a condition', { deposits: 1, fault: 'stale', switches: 1, rule: tooEarly }],
  [
    'an execution is stored without a condition',
    { deposits: 1, fault: 'stall', switches: 1, rule: 'I7 written after the end' },
  ],
]
/** It is shown by a worker that assigns a nonce long after it read which are free. */
const sleeping: [string, Planted] = [
  'a nonce is assigned without a condition',
  { deposits: 2, fault: 'sleep', switches: 1, rule: 'I11 an order given two nonces' },
]

const worldWith = (name: string, { deposits, fault }: Planted, faults = 1): SmallWorld =>
  new SmallWorld(fault ? bounds(deposits, faults, fault) : bounds(deposits, 0), bugs[name] ?? lastingLease)

const brokenIn = (world: SmallWorld, switches = 0) => shortestBroken(world, { switches, states: 20_000 })

function expectFound(name: string, one: Planted): void {
  const broken = brokenIn(worldWith(name, one), one.switches)
  expect(broken?.rules[0]).toBe(one.rule)
  expect(history(worldWith(name, one), broken!.choices).rules).toEqual(broken!.rules)
  if (one.switches) expect(brokenIn(worldWith(name, one), one.switches - 1)).toBeNull()
  if (one.fault) expect(brokenIn(worldWith(name, one, 0), one.switches)).toBeNull()
}

testAll(planted)(
  'small worlds: a planted bug is found with no more faults and switches than it takes, and its history can be repeated',
  expectFound,
)
nightly(`small worlds: a worker must sleep to show that ${sleeping[0]}`, () => expectFound(...sleeping))

test('small worlds: the shortest history that breaks a rule reads as a story', () => {
  const [name, one] = planted[1]!
  const { lines, rules } = history(worldWith(name, one), brokenIn(worldWith(name, one), one.switches)!.choices)
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
