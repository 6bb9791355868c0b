import { expect, test } from 'bun:test'
import type { Execution } from '../../src/domain/execution/execution'
import type { ChainClient, Chains, SecondNode } from '../../src/ports/chain-client'
import type { Prices } from '../../src/ports/prices'
import { quorumCheck } from '../../src/routing/delivery/evidence'
import { verifyBalance } from '../../src/routing/steps/verify-balance'
import { executionOf } from '../support/deposits'
import { executionsInMemory } from '../support/records'

const dollar = 10n ** 8n

/** `prices`: what the sources say. */
function world(secondSays: bigint | null, prices: bigint[] | null = [dollar, dollar], worthRaw = '1000000000000') {
  const asked: number[] = []
  const second: Partial<SecondNode> = {
    balanceOf: async (_token, _account, block) => {
      asked.push(block)
      return secondSays!
    },
  }
  const chain = {
    second: secondSays === null ? null : second,
    confirmed: async () => ({ number: 9, hash: '0x', time: 1 }),
    confirmedNumber: async () => 9,
    balanceOf: async () => BigInt(worthRaw),
  }
  const chains = { 8453: chain as unknown as ChainClient } as Chains
  const said: Prices['said'] = async () => {
    if (prices === null) throw new Error('no price')
    return prices.map((usd, n) => ({ source: `source-${n}`, usd }))
  }
  const record: Execution = executionOf(1, { version: 1 }, { amountRaw: worthRaw })
  const step = verifyBalance({
    chains,
    executions: executionsInMemory(record),
    blacklist: { isListed: () => false },
    scannedTo: async () => 9,
    pollMs: () => 1,
    now: () => 1,
    secondOpinion: quorumCheck(chains, { said }, 10_000n * dollar),
  })
  return { asked, run: () => step(record) }
}

test('a large balance counts when two nodes agree at one block', async () => {
  const { run, asked } = world(10n ** 12n)
  expect(await run()).toMatchObject({ type: 'balance verified' })
  expect(asked).toEqual([9])
})

test('a disagreement of two nodes decides nothing, and both are queried again without a retry', async () => {
  await expect(world(10n ** 12n - 1n).run()).rejects.toMatchObject({ waitingFor: 'NODE' })
})

test('a small deposit is read from one node, and a deposit without a price from two', async () => {
  const small = world(0n, [dollar, dollar], '9999999999')
  expect(await small.run()).toMatchObject({ type: 'balance verified' })
  expect(small.asked).toEqual([])
  await expect(world(0n, null, '9999999999').run()).rejects.toMatchObject({ waitingFor: 'NODE' })
})

test('a single low price, or one that other sources contradict, does not make a deposit small', async () => {
  for (const prices of [[1n], [1n, dollar], [1n, dollar, dollar], []]) {
    await expect(world(0n, prices).run()).rejects.toMatchObject({ waitingFor: 'NODE' })
    expect(await world(10n ** 12n, prices).run()).toMatchObject({ type: 'balance verified' })
  }
})

test('a deposit of a token with a single price is verified by the only node', async () => {
  expect(await world(null, [dollar]).run()).toMatchObject({ type: 'balance verified' })
})

test('an installation with one node has no second node to query', async () => {
  expect(await world(null).run()).toMatchObject({ type: 'balance verified' })
})
