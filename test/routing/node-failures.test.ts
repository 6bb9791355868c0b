import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { type ErrorCode, errorCodes } from '../../src/domain/error'
import { type Fails, type Options, oneDeposit } from '../support/one-deposit'
import { testAll } from '../support/test-all'

afterEach(() => void setSystemTime())

const [minute, hour] = [60_000, 3_600_000]
const nodeCodes = errorCodes.filter((code) => code.startsWith('RPC_'))

/** The calls of an undisturbed deposit. */
async function callsOf(options: Omit<Options, 'fails'>): Promise<string[]> {
  const { run, calls } = oneDeposit({ fails: () => null, ...options })
  expect(await run()).toMatchObject({ status: 'SUCCESS', retryCount: 0 })
  return [...calls]
}

testAll<[boolean, readonly ErrorCode[]]>([
  [true, nodeCodes],
  [false, ['RPC_TIMEOUT']],
])(
  'no failure of a node spends a retry or ends a deposit, whatever call before the order is sent it fails for hours',
  async (sponsoredGas, codes) => {
    const calls = await callsOf({ sponsoredGas })
    expect(calls).toEqual(expect.arrayContaining(['source estimate', 'source balanceOf', 'target acceptance']))
    const wrong: unknown[] = []
    // An order that no node accepts lapses, which spends a retry.
    for (const call of calls.filter((name) => name !== 'source send'))
      for (const code of codes) {
        const fails: Fails = (name, _, at) => (name === call && at < 3 * hour ? code : null)
        const { run, clock } = oneDeposit({ fails, sponsoredGas })
        const { status, retryCount, cause } = await run()
        if (status !== 'SUCCESS' || retryCount > 0) wrong.push([call, code, status, retryCount, cause?.code])
        if (clock.at > 3.3 * hour) wrong.push([call, code, clock.at])
      }
    expect(wrong).toEqual([])
  },
)

test('a route that no node runs for ten minutes is replaced by another provider’s, with few quotes', async () => {
  const fails: Fails = (_, provider) => (provider === 'lifi' ? 'RPC_TIMEOUT' : null)
  const { run, clock, quotes } = oneDeposit({ fails, providers: ['lifi', 'relay'] })
  expect(await run()).toMatchObject({
    status: 'SUCCESS',
    retryCount: 0,
    facts: { order: {}, route: { provider: 'relay' } },
  })
  expect(clock.at).toBeGreaterThan(10 * minute)
  expect(clock.at).toBeLessThan(12 * minute)
  expect(quotes()).toBeLessThan(2 * 15)
})

test('a route that no node runs makes a deposit wait for hours, with at most sixty quotes in the first of them', async () => {
  const { wake, clock, execution, quotes } = oneDeposit({ fails: (_, provider) => (provider ? 'RPC_TIMEOUT' : null) })
  const asked: number[] = []
  for (const hours of [1, 2, 24]) {
    for (let due = execution().dueAt!; due < hours * hour; due = execution().dueAt!) {
      clock.at = due
      await wake()
    }
    asked.push(quotes())
  }
  expect(execution()).toMatchObject({ retryCount: 0, status: null, facts: { waiting: { for: 'NODE' } } })
  expect(asked[0]).toBeLessThanOrEqual(60)
  expect(asked[2]! - asked[1]!).toBeLessThan(60)
})
