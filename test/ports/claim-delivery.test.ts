import { describe, expect, test } from 'bun:test'
import type { Execution } from '../../src/domain/execution/execution'
import { claimDelivery } from '../../src/routing/delivery/claims'
import { executionOf, hashOf } from '../support/deposits'
import { engineStores } from '../support/stores'

const [hash, otherHash] = [hashOf(0xdd), hashOf(0xee)]
const parts = (...amounts: number[]) => amounts.map((amount, n) => ({ place: `0xdd:${n}`, amountRaw: BigInt(amount) }))
const deliveredBy = (by: typeof hash, state: string): Partial<Execution> => ({
  state,
  facts: { delivery: { hash: by, chainId: 42161, token: '0x', amountRaw: '1', block: 1 } },
})

describe.each(engineStores)('deliveries %s', (_name, open) => {
  const opened = async () => {
    const { store, other } = await open()
    const claims = [store.deliveries, other.deliveries] as const
    /** Later states of the executions that hold claims. */
    const became = new Map<string, Partial<Execution>>()
    const executions = {
      load: async (id: string) => executionOf(1, { state: 'RUNNING', ...became.get(id) }),
    }
    return Object.assign(
      async (
        process: 0 | 1,
        executionId: string,
        least: number,
        of = parts(980),
        orLess = true,
        recordedAs: string | null = null,
      ) => {
        const wanted = { chainId: 42161, hash, executionId, leastRaw: BigInt(least), orLess, recordedAs } as const
        const claimed = await claimDelivery(of, wanted, { deliveries: claims[process], executions })
        return 'amountRaw' in claimed ? claimed.amountRaw : claimed.lostTo
      },
      { became },
    )
  }

  test('only one execution can claim a transfer, and repeating its claim succeeds', async () => {
    const claim = await opened()
    const both = await Promise.all([claim(0, 'a', 900), claim(1, 'b', 900)])
    expect(both.filter((amount) => amount === 980n)).toHaveLength(1)
    const [winner, loser] = both[0] === 980n ? ['a', 'b'] : ['b', 'a']
    expect(await claim(1, winner, 900)).toBe(980n)
    expect(await claim(0, loser, 900)).toEqual([winner])
    expect(await claim(0, loser, 990)).toEqual([]) // nor as a part of the owed amount
  })

  test('each execution claims the smallest sufficient transfer of a batch', async () => {
    const claim = await opened()
    const batch = parts(990, 99, 995)
    const paid = [
      await claim(0, 'small', 98, batch),
      await claim(1, 'large', 980, batch),
      await claim(0, 'last', 980, batch),
    ]
    expect(paid).toEqual([99n, 990n, 995n])
    expect(await claim(0, 'nobody', 1, batch)).toEqual(['small', 'large', 'last'])
    expect(await claim(1, 'large', 980, batch)).toBe(990n)
  })

  test('two transfers are not added up to one delivery, because the second may belong to another execution', async () => {
    const claim = await opened()
    const batch = parts(950, 500)
    expect(await claim(0, 'short', 980, batch)).toBe(950n)
    expect(await claim(1, 'enough', 490, batch)).toBe(500n)
    expect(await claim(0, 'short', 980, batch)).toBe(950n)
  })

  test('a transfer below the minimum is claimed only if no other can arrive', async () => {
    const claim = await opened()
    expect(await claim(0, 'short', 990, parts(980), false)).toEqual([])
    expect(await claim(1, 'enough', 980)).toBe(980n)
  })

  // Columns: state of the execution that claimed 980, amount that the next claimant needs, and who holds the claim
  // then.
  test('a claim passes on when its execution ended by another transaction, or with too small an amount', async () => {
    const rows: [string, Partial<Execution>, number, boolean][] = [
      ['it goes on', { state: 'RUNNING' }, 980, false],
      ['it was delivered by it', deliveredBy(hash, 'SUCCESS'), 980, false],
      ['it was delivered by another', deliveredBy(otherHash, 'SUCCESS'), 980, true],
      ['it ended without a delivery', { state: 'DEAD_LETTER' }, 980, true],
      ['it got too little by it', deliveredBy(hash, 'DEAD_LETTER'), 980, true],
      ['it got too little by it, as the other would', deliveredBy(hash, 'DEAD_LETTER'), 990, false],
      ['it came back by it', { state: 'DEAD_LETTER', facts: { returned: { hash } } }, 980, false],
    ]
    const wrong: string[] = []
    for (const [what, became, least, passes] of rows) {
      const claim = await opened()
      expect(await claim(0, what, 980)).toBe(980n)
      claim.became.set(what, became)
      const got = await claim(1, 'other', least)
      if ((got === 980n) !== passes) wrong.push(what)
      // The former holder does not get the claim back.
      claim.became.set('other', deliveredBy(hash, 'SUCCESS'))
      if (passes && (await claim(0, what, 980)) === 980n) wrong.push(`${what}: had twice`)
    }
    expect(wrong).toEqual([])
  })

  test('a refund passes to the execution that it is recorded for, if another one ended by it', async () => {
    const rows: [string, Partial<Execution>, boolean][] = [
      ['it came back by it', { state: 'DEAD_LETTER', facts: { returned: { hash } } }, true],
      ['it is recorded as its own', { state: 'DEAD_LETTER', facts: { returned: { hash } }, continuedBy: 'it' }, false],
      ['it goes on', { state: 'RUNNING' }, false],
      ['it was delivered by it', deliveredBy(hash, 'SUCCESS'), false],
    ]
    for (const [what, became, passes] of rows) {
      const claim = await opened()
      expect(await claim(0, what, 1)).toBe(980n)
      claim.became.set(what, became)
      expect({ what, got: (await claim(1, 'other', 1, parts(980), true, 'it')) === 980n }).toEqual({
        what,
        got: passes,
      })
    }
  })

  test('the same position on two chains is two transfers', async () => {
    const { store } = await open()
    const executions = { load: async () => executionOf(1, { state: 'RUNNING' }) }
    const on = async (chainId: 42161 | 8453, executionId: string) => {
      const wanted = { chainId, hash, executionId, leastRaw: 1n } as const
      return 'amountRaw' in (await claimDelivery(parts(1), wanted, { deliveries: store.deliveries, executions }))
    }
    expect([await on(42161, 'a'), await on(8453, 'b'), await on(8453, 'a')]).toEqual([true, true, false])
  })
})
