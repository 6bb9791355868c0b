import { expect, test } from 'bun:test'
import { codeAt, freshHead } from '../../../src/adapters/evm/heads'
import { TemporarilyUnavailable } from '../../../src/domain/unavailable'
import { world } from '../../support/world'

const staleMs = 60_000

/** A node and our clock, both set by the test. */
function node(head: { number: number; time: number }, at: number) {
  const seen = { head, at }
  const look = freshHead(
    { chainId: 8453, head: async () => ({ ...seen.head, hash: `0x${seen.head.number}` }) },
    staleMs,
    () => seen.at,
  )
  return {
    seen,
    look,
    isFresh: () =>
      look()
        .then(() => true)
        .catch(() => false),
  }
}

test('a head is fresh while its own time is recent, also on the first read', async () => {
  expect(await node({ number: 5, time: 1_000 }, 1_000_000 + staleMs).isFresh()).toBe(true)
  expect(await node({ number: 5, time: 1_000 }, 1_001_001 + staleMs).isFresh()).toBe(false)
})

test('an unchanged head becomes stale even if its time is ahead of ours, and the next one is fresh', async () => {
  const { seen, isFresh } = node({ number: 5, time: 10_000 }, 0)
  expect(await isFresh()).toBe(true)
  seen.at = staleMs + 1
  expect(await isFresh()).toBe(false)
  seen.head = { number: 6, time: 10_002 }
  expect(await isFresh()).toBe(true)
})

test('a future head time is limited by our clock, so every order expires', async () => {
  const year = 365 * 86_400
  const at = 1_000_000_000
  const lying = node({ number: 5, time: at / 1_000 + year }, at)
  expect((await lying.look()).time).toBe(at / 1_000 + 60)
  const honest = node({ number: 5, time: at / 1_000 + 2 }, at)
  expect((await honest.look()).time).toBe(at / 1_000 + 2)
})

test('a missing contract counts only on an advancing node, while a found one always counts', async () => {
  const { seen, look } = node({ number: 5, time: 1_000 }, 1_000_000)
  const [token, bare] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`] as const
  const hasCode = codeAt({ isDeployed: async (address) => address === token }, look)
  expect([await hasCode(token), await hasCode(bare)]).toEqual([true, false])
  seen.at += staleMs + 1_001
  expect(await hasCode(token)).toBe(true)
  await expect(hasCode(bare)).rejects.toThrow(TemporarilyUnavailable)
})

test('an execution that needs a fresh head waits for a block without a retry', async () => {
  const hour = 3_600_000
  const { seen, look } = node({ number: 5, time: 0 }, 0)
  const { run, clock, execution, ran } = world({
    signOrder: async () => {
      seen.at = clock.at + hour
      if (clock.at > hour) seen.head = { number: 6, time: (clock.at + hour) / 1_000 }
      await look()
      return { type: 'order signed' }
    },
  })
  await run()
  expect(execution()).toMatchObject({ status: 'SUCCESS', retryCount: 0, cause: null })
  expect(ran.filter((step) => step === 'signOrder').length).toBeLessThan(150)
})
