import { expect, test } from 'bun:test'
import { zeroAddress } from '../../src/domain/chain/hex'
import { RoutingError } from '../../src/domain/error'
import { base, detectionWorld, usdc } from '../support/detection'
import { until } from '../support/until'

const fast = { scanEveryMs: () => 5, sweepEveryMs: () => 5, unlistedEveryMs: () => 5 }

test('every deposit is found without webhooks, and stopping ends the search', async () => {
  const { accounts, chain, detection, amounts } = detectionWorld(fast)
  const account = accounts.create()
  detection.start()
  await until('the first scan', (note) => note(detection.metrics().chains).length === 1, { everyMs: 2 })
  chain.mine({
    paid: [
      { token: usdc, to: account, amountRaw: 5n },
      { token: zeroAddress, to: account, amountRaw: 7n },
    ],
  })
  chain.mineEmpty(5)
  await until('both deposits', (note) => note(amounts()).length === 2, { everyMs: 2 })
  await detection.stop()
  const asked = chain.asked.head
  // Another process at the same pace goes on, which shows that there was time for more scans.
  const other = detectionWorld(fast)
  other.accounts.create()
  other.detection.start()
  await until('five scans elsewhere', (note) => note(other.chain.asked.head) >= 5, { everyMs: 2 })
  await other.detection.stop()
  expect(chain.asked.head).toBe(asked)
})

test('an unreachable node is reported once, and once more on its return', async () => {
  const { accounts, chain, scan, detection, troubles, recovered } = detectionWorld(fast)
  accounts.create()
  await scan()
  chain.failure = new RoutingError('RPC_UNREACHABLE')
  detection.start()
  await until('three reports', (note) => note(troubles).length >= 3, { everyMs: 2 })
  const failures = chain.failures
  await until('30 more failures', (note) => note(chain.failures) >= failures + 30, { everyMs: 2 })
  expect(troubles.map(({ work }) => work).toSorted()).toEqual(['scan', 'sweep', 'unlisted tokens'])
  chain.failure = null
  await until('three recoveries', (note) => note(recovered).length === 3, { everyMs: 2 })
  await detection.stop()
})

test('work does not count as resumed while its node is frozen, however often idle rounds pass', async () => {
  const clock = { at: 1_000_000, looks: 0 }
  const now = () => {
    clock.looks += 1
    return clock.at
  }
  const pace = { closeMs: 60_000, wideMs: 60_000, spentMs: 60_000 }
  const { accounts, chain, scan, detection, troubles, recovered } = detectionWorld({ ...fast, pace, now })
  accounts.create()
  await scan()
  chain.failure = new RoutingError('RPC_TIMEOUT')
  detection.start()
  for (let n = 0; n < 3; n++) {
    clock.at += 61_000
    const begun = clock.looks
    await until(
      '500 more looks',
      (note) => {
        note({ troubles, looks: clock.looks - begun })
        return troubles.length >= 3 && clock.looks > begun + 500
      },
      { everyMs: 2 },
    )
    expect(recovered).toEqual([])
  }
  expect(troubles).toHaveLength(3)
  chain.failure = null
  chain.mineEmpty(9)
  clock.at += 61_000
  await until('all have recovered', (note) => note(recovered).length === 3, { everyMs: 2 })
  await detection.stop()
  expect(recovered.toSorted()).toEqual(['scan', 'sweep', 'unlisted tokens'])
})

test('coverage shows how far a chain has been read', async () => {
  const { accounts, chain, detection, scan } = detectionWorld()
  const account = accounts.create()
  expect(await detection.coverageOf(base)).toBeNull()
  await scan()
  chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 5n }] })
  chain.mineEmpty(9)
  await scan()
  chain.mineEmpty(2)
  expect(await detection.coverageOf(base)).toMatchObject({
    scannedBlock: 6,
    scannedBlockHash: chain.mined[6]!.block.hash,
    headBlock: 12,
    lagBlocks: 6,
    lagSeconds: 12,
  })
  expect(detection.metrics()).toMatchObject({
    accounts: 1,
    lastSeenAt: { SCANNER: 1_000_000, WEBHOOK: null },
    chains: [{ chainId: base, scannedBlock: 6, headBlock: 10, lagBlocks: 4 }],
  })
})

test('a failure to wake workers loses nothing and is reported once', async () => {
  const wakes = { wakeNow: () => Promise.reject(new Error('no answer')) } as never
  const { accounts, chain, scan, executions, troubles } = detectionWorld({ wakes })
  const account = accounts.create()
  await scan()
  for (let n = 1; n <= 3; n++) chain.mine({ paid: [{ token: usdc, to: account, amountRaw: BigInt(n) }] })
  chain.mineEmpty(4)
  await scan()
  expect(executions.all()).toHaveLength(3)
  expect(executions.all().every(({ dueAt }) => dueAt !== null)).toBe(true)
  expect(troubles).toHaveLength(1)
})

test('refunded money becomes a deposit that names the execution it belonged to', async () => {
  const refunds = { claim: async () => ({ executionId: 'the-first', returns: 2 }) }
  const { accounts, chain, scan, executions } = detectionWorld({ refunds })
  const account = accounts.create()
  await scan()
  chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 5n }] })
  chain.mineEmpty(4)
  await scan()
  expect(executions.all()).toMatchObject([{ refundOf: 'the-first', facts: { returns: 2 }, state: 'matching intent' }])
})

test('a possible refund is recorded, and the provider is queried again later', async () => {
  const { accounts, chain, scan, executions } = detectionWorld({ refunds: { claim: async () => 'UNANSWERED' } })
  const account = accounts.create()
  await scan()
  chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 5n }] })
  chain.mineEmpty(4)
  await scan()
  expect(executions.all()).toMatchObject([{ refundOf: null, facts: { isUnclaimed: true }, state: 'matching intent' }])
})

test('a token that only the security list contains is recorded under its own name', async () => {
  const rare = '0x00000000000000000000000000000000000000Ee'
  const { accounts, chain, scan, executions } = detectionWorld({ alsoScanned: () => [rare] })
  const account = accounts.create()
  await scan()
  chain.mine({ paid: [{ token: rare, to: account, amountRaw: 5n }] })
  chain.mineEmpty(4)
  await scan()
  expect(executions.all()).toMatchObject([{ deposit: { token: rare, symbol: 'RARE', decimals: 9 } }])
})
