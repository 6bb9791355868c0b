import { expect, test } from 'bun:test'
import { advancingChain } from '../../src/app/process/service-parts'
import { boundMsOf } from '../../src/domain/execution/overdue'
import { observationsInMemory } from '../support/observations'

const base = 8453
const head = { kind: 'HEAD', chainId: base, provider: null, subject: null } as const

/** A verified chain whose node counts requests. */
function world() {
  const clock = { at: 1_000_000_000 }
  const observations = observationsInMemory()
  const node = {
    asked: 0,
    isWell: true,
    hasFailedLately: false,
    hasFailed: () => node.hasFailedLately,
    freshHead: async () => {
      node.asked += 1
      if (!node.isWell) throw new Error('No new block')
      return { number: 1, hash: '0x', time: 1 } as const
    },
  }
  const process = () => advancingChain({ all: observations.all }, { before: (ask) => ask }, node, () => clock.at)
  return { clock, observations, node, process }
}

test('no process asks a node whether its chain advances while the watching process records new heads', async () => {
  const { clock, observations, node, process } = world()
  await observations.note(head, clock.at, clock.at - 60_000)
  for (const advances of [process(), process(), process()]) await advances(base)
  expect(node.asked).toBe(0)
})

test('the node itself is queried, and its response counts, if no process records new heads', async () => {
  const { clock, observations, node, process } = world()
  await observations.note(head, clock.at, clock.at - boundMsOf('HEAD', base) - 1)
  await process()(base)
  expect(node.asked).toBe(1)
  node.isWell = false
  expect(await process()(base).then(String, String)).toContain('No new block')
})

test('a process whose own calls to a chain fail reports so until its node responds, whatever others see', async () => {
  const { clock, observations, node, process } = world()
  await observations.note(head, clock.at, clock.at)
  Object.assign(node, { isWell: false, hasFailedLately: true })
  expect(await process()(base).then(String, String)).toContain('No new block')
  node.isWell = true
  await process()(base)
  expect(node.asked).toBe(2)
  node.hasFailedLately = false
  await process()(base)
  expect(node.asked).toBe(2)
})

test('the node itself is queried while the database is unavailable', async () => {
  const { clock, node } = world()
  const all = async () => {
    throw new Error('The database is away')
  }
  await advancingChain({ all }, { before: (ask) => ask }, node, () => clock.at)(base)
  expect(node.asked).toBe(1)
})
