import { expect, test } from 'bun:test'
import { nodesBill } from '../../src/app/nodes-bill'
import { createMeters } from '../../src/app/telemetry/meters'
import { dateOf } from '../../src/domain/calendar'
import { type ChainKey, chainKeys } from '../../src/domain/chain/chain'
import type { NodeRequests } from '../../src/ports/chain-client'
import { observationsInMemory } from '../support/observations'

/** The shared request counts, which can be unavailable. */
function requestsInMemory() {
  const days = new Map<string, Map<ChainKey, Record<string, number>>>()
  const state = { isAway: false }
  const port: NodeRequests = {
    async add(date, chain, counts) {
      if (state.isAway) throw new Error('away')
      const day = days.get(date) ?? new Map<ChainKey, Record<string, number>>()
      const methods = { ...day.get(chain) }
      for (const [method, count] of Object.entries(counts)) methods[method] = (methods[method] ?? 0) + count
      days.set(date, day.set(chain, methods))
    },
    on: async (date) => [...(days.get(date) ?? [])].map(([chain, methods]) => ({ chain, methods })),
  }
  return { port, state }
}

function world(budget: number | null) {
  const clock = { at: Date.parse('2026-11-23T12:00:00Z') }
  const { port, state } = requestsInMemory()
  const observations = observationsInMemory()
  const said: string[] = []
  const budgets = Object.fromEntries(chainKeys.map((key) => [key, budget])) as Record<ChainKey, number | null>
  const log = { write: (event: string) => void said.push(event) } as never
  const process = () => {
    const meters = createMeters()
    const bill = nodesBill({
      nodeRequests: port,
      observations,
      meters,
      budgets,
      log,
      now: () => clock.at,
      onTrouble: () => {},
    })
    const ask = (count: number) => {
      const call = { system: 'rpc', chain: 'base', node: '1', method: 'eth_call' } as const
      for (let n = 0; n < count; n++) meters.noteOutside(call, n % 2 === 0 ? 'OK' : 'RPC_TIMEOUT', 0)
    }
    return { ...bill, ask }
  }
  const today = async () => (await port.on(dateOf(clock.at)))[0]?.methods
  return { clock, state, observations, said, process, today }
}

test('the requests of all processes are summed by day, each counted once', async () => {
  const { process, today, state, clock } = world(null)
  const [one, two] = [process(), process()]
  one.ask(3)
  two.ask(4)
  await one.keep()
  await two.keep()
  one.ask(2)
  state.isAway = true
  expect(one.keep()).rejects.toThrow('away')
  state.isAway = false
  await one.keep()
  await one.keep()
  expect(await today()).toEqual({ eth_call: 9 })
  clock.at += 86_400_000
  one.ask(1)
  await one.keep()
  expect(await today()).toEqual({ eth_call: 1 })
})

test('two simultaneous saves count no request twice', async () => {
  const { process, today } = world(null)
  const one = process()
  one.ask(5)
  await Promise.all([one.keep(), one.keep(), one.keep()])
  expect(await today()).toEqual({ eth_call: 5 })
})

test('operators are notified once at 80 % of the budget, and deferrable work slows down at 100 % until midnight', async () => {
  const { process, observations, said, clock } = world(100)
  const [one, two] = [process(), process()]
  one.ask(79)
  await one.keep()
  expect(said).toEqual([])
  two.ask(1)
  await two.keep()
  await two.keep()
  expect(said).toEqual(['NODE_BUDGET_NEAR'])
  expect(two.isSpent('base')).toBe(false)
  expect((await observations.all()).find(({ chainId }) => chainId === 8453)).toMatchObject({ kind: 'NODE_BUDGET' })

  two.ask(20)
  await two.keep()
  await one.keep()
  expect(said).toEqual(['NODE_BUDGET_NEAR', 'NODE_BUDGET_SPENT', 'NODE_BUDGET_SPENT'])
  expect([one, two].map((each) => each.isSpent('base'))).toEqual([true, true])
  expect(one.isSpent('polygon')).toBe(false)
  expect((await one.gauge.read()).find(({ labels }) => labels.chain === 'base')?.value).toBe(1)
  clock.at += 86_400_000
  await one.keep()
  expect(one.isSpent('base')).toBe(false)
})

test('nothing is reported without a budget', async () => {
  const { process, observations, said } = world(null)
  const one = process()
  one.ask(1_000)
  await one.keep()
  expect([said, await observations.all(), one.isSpent('base'), await one.gauge.read()]).toEqual([[], [], false, []])
})
