import { describe, expect, test } from 'bun:test'
import { claimDelivery } from '../../src/routing/delivery/evidence'
import { stores } from '../support/stores'

const parts = (...amounts: number[]) => amounts.map((amount, n) => ({ place: `0xdd:${n}`, amountRaw: BigInt(amount) }))
const wanted = (executionId: string, leastRaw: number) =>
  ({ chainId: 42161, executionId, leastRaw: BigInt(leastRaw) }) as const

describe.each(stores)('deliveries %s', (_name, open) => {
  const opened = async () => {
    const { store, other } = await open()
    const claims = [store.deliveries, other.deliveries] as const
    return (process: 0 | 1, id: string, least: number, of = parts(980)) =>
      claimDelivery(of, wanted(id, least), claims[process])
  }

  test('of those that claim one transfer one has it, and has it again', async () => {
    const claim = await opened()
    const both = await Promise.all([claim(0, 'a', 900), claim(1, 'b', 900)])
    expect(both.filter((amount) => amount !== null)).toEqual([980n])
    const [winner, loser] = both[0] === null ? ['b', 'a'] : ['a', 'b']
    expect(await claim(1, winner!, 900)).toBe(980n)
    expect(await claim(0, loser!, 900)).toBeNull()
    expect(await claim(0, loser!, 990)).toBeNull() // nor as a part of what was owed
  })

  test('a batch pays each its own: the smallest that is enough', async () => {
    const claim = await opened()
    const batch = parts(990, 99, 995)
    const paid = [
      await claim(0, 'small', 98, batch),
      await claim(1, 'large', 980, batch),
      await claim(0, 'last', 980, batch),
    ]
    expect(paid).toEqual([99n, 990n, 995n])
    expect(await claim(0, 'nobody', 1, batch)).toBeNull()
    expect(await claim(1, 'large', 980, batch)).toBe(990n)
  })

  test('what two bring together is not one delivery: the other may be owed to somebody else', async () => {
    const claim = await opened()
    const batch = parts(950, 500)
    expect(await claim(0, 'short', 980, batch)).toBe(950n)
    expect(await claim(1, 'enough', 490, batch)).toBe(500n)
    expect(await claim(0, 'short', 980, batch)).toBe(950n)
  })

  test('one place of two chains is two transfers', async () => {
    const { store } = await open()
    const on = (chainId: 42161 | 8453, id: string) =>
      claimDelivery(parts(1), { chainId, executionId: id, leastRaw: 1n }, store.deliveries)
    expect([await on(42161, 'a'), await on(8453, 'b'), await on(8453, 'a')]).toEqual([1n, 1n, null])
  })
})
