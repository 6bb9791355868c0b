import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { mayTake, type Relayer, unminedMax } from '../../src/domain/chain/relayer'
import { slotFor } from '../../src/routing/delivery/relayer-nonces'
import type { RelayerPorts } from '../../src/routing/delivery/relayer-slots'
import { hashOf } from '../support/deposits'
import { key, oneRelayer } from '../support/one-relayer'
import { engineStores } from '../support/stores'
import { order } from '../support/world'

const { chain, relayers } = oneRelayer()

/** Each execution asks until it has a slot or is refused, as a worker does. */
async function served(sendings: RelayerPorts[], organizationId: string, count: number, share: number, from: number) {
  const requestOf = (n: number) => ({ executionId: `8453:0x${n}:0`, bucket: 0, since: n, organizationId, share })
  const ask = async (n: number): Promise<boolean> => {
    for (let tries = 0; tries < 60; tries++)
      if (await slotFor({ ...order, id: hashOf(from + n) }, sendings[n % 2]!, requestOf(from + n))) return true
    return false
  }
  return (await Promise.all(Array.from({ length: count }, (_, n) => ask(n)))).filter(Boolean).length
}

test.each(engineStores)(
  'one tenant’s 40 orders in two processes get its share of a key, and other tenants get the rest, %s',
  async (_name, open) => {
    const { store, other } = await open()
    const sendings = [store, other].map(({ relayerRecords }) => ({ relayerRecords, chain, relayers, now: () => 0 }))
    expect(await served(sendings, 'org_burst', 40, 1, 1_000)).toBe(8)
    const moved = sendings.map((each) => ({ ...each, now: () => 1_000 }))
    expect(await served(moved, 'org_late', 1, 1, 2_000)).toBe(1)
    const stored = (await store.relayerRecords.load(key.id))!
    expect(stored.slots.filter(({ organizationId }) => organizationId === 'org_burst')).toHaveLength(8)
  },
)

test('every tenant of a joint burst gets a slot, and a tenant without one can use any free slot', () => {
  const asked = fc.array(fc.nat(7), { minLength: 100, maxLength: 200 })
  fc.assert(
    fc.property(asked, fc.constantFrom(1, 3, 7), (all, share) => {
      const slots: Relayer['slots'] = []
      for (const n of all) {
        const organizationId = `org_${n}`
        const holdsNone = !slots.some((slot) => slot.organizationId === organizationId)
        const isGiven = mayTake(slots, { organizationId, share })
        if (holdsNone) expect(isGiven).toBe(slots.length < unminedMax)
        if (isGiven) slots.push({ organizationId, nonce: slots.length } as Relayer['slots'][number])
      }
      const own = Map.groupBy(slots, ({ organizationId }) => organizationId!)
      if (own.size > 1 || new Set(all).size === 1)
        for (const held of own.values()) expect(held.length).toBeLessThan(unminedMax)
    }),
  )
})
