import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Execution, quotaKeyOf } from '../../src/domain/execution/execution'
import { claimQuota, type QuotaCounter, quotaWarningOf, settledQuota } from '../../src/domain/limits/quota'
import type { Organization } from '../../src/domain/tenant/organization'
import { planLimits } from '../../src/limits/plan-limits'
import { executionOf } from '../support/deposits'
import { type OpenStore, stores } from '../support/stores'

const month = quotaKeyOf('org_1', 0)

/** Two processes on one store, and an organization with this quota. */
async function world(monthlyExecutions: number, open: () => Promise<OpenStore>) {
  const { store, other } = await open()
  const plan = { plan: 'custom', customPlan: { monthlyExecutions, rates: {} } } as unknown as Organization
  const processes = [store, other].map((each) => {
    const limits = planLimits({ ...each, organizations: { load: async () => plan }, now: () => 0 })
    return { ...each, ...limits }
  })
  const deposits = async (count: number): Promise<Execution[]> => {
    const begun = Array.from({ length: count }, (_, n) => ({
      ...executionOf(n + 1),
      organizationId: 'org_1',
      version: 0,
    }))
    return (await Promise.all(begun.map((each) => store.executions.save(each)))) as Execution[]
  }
  const ask = (deposit: Execution, n = 0) => processes[n % 2]!.hasQuota(deposit, 0)
  const sign = (deposit: Execution) =>
    store.executions.save({ ...deposit, facts: { ...deposit.facts, quotaKey: month } }) as Promise<Execution>
  /** Stores the record as a failed attempt or a wait does. */
  const goOn = (deposit: Execution) => store.executions.save({ ...deposit, retryCount: 1 }) as Promise<Execution>
  return { store, deposits, ask, sign, goOn, used: () => processes[1]!.usedQuota(month) }
}

test.each(stores)(
  'quota: exactly as many of 40 simultaneous deposits in two processes are admitted as the quota allows, %s',
  async (_, open) => {
    const { deposits, ask, sign, used } = await world(7, open)
    const all = await deposits(40)
    const results = await Promise.all(all.map(ask))
    const admitted = all.filter((_each, n) => results[n] === 'YES')
    expect([admitted.length, results.filter((place) => place === 'SOON').length]).toEqual([7, 33])

    // asked again, on another process
    expect(await Promise.all(admitted.map((each, n) => ask(each, n + 1)))).toEqual(Array(7).fill('YES'))
    await Promise.all(admitted.map(sign))
    expect(new Set(await Promise.all(all.filter((each) => !admitted.includes(each)).map(ask)))).toEqual(new Set(['NO']))
    expect(await used()).toBe(7)
  },
)

test.each(stores)(
  'quota: a deposit that continued without a route or was changed by another writer uses no quota, %s',
  async (_, open) => {
    const { deposits, ask, goOn, sign, used } = await world(1, open)
    const [first, second] = (await deposits(2)) as [Execution, Execution]
    expect([await ask(first), await ask(second, 1)]).toEqual(['YES', 'SOON'])
    const later = await goOn(first)
    expect([await ask(second, 1), await ask(later)]).toEqual(['YES', 'SOON'])
    expect(await sign(first)).toBeNull() // the deposit whose place was passed on can no longer be stored
    await sign(second)
    expect([await ask(later), await used()]).toEqual(['NO', 1])
  },
)

test.each(stores)('quota: the quota held by a process that died is released, %s', async (_, open) => {
  const { deposits, ask, goOn } = await world(1, open)
  const [died, next] = (await deposits(2)) as [Execution, Execution]
  await ask(died)
  // Another worker resumes the stored deposit, which keeps its place.
  expect(await ask(died, 1)).toBe('YES')
  const ended = await goOn(died)
  expect(ended.facts.quotaKey).toBeUndefined()
  expect(await ask(next)).toBe('YES')
})

test.each(stores)(
  'quota: a worker with an old copy of a counted deposit does not count it again, %s',
  async (_, open) => {
    const { deposits, ask, sign, goOn, used } = await world(2, open)
    const [counted, second, third] = (await deposits(3)) as [Execution, Execution, Execution]
    await ask(counted)
    await sign(counted)
    expect([await ask(second), await ask(third)]).toEqual(['YES', 'SOON'])
    await goOn(second)
    await ask(counted, 1)
    expect([await ask(third), await used()]).toEqual(['YES', 1])
  },
)

test.each(stores)('quota: a quota of zero admits no execution, %s', async (_, open) => {
  const { deposits, ask } = await world(0, open)
  expect(await ask((await deposits(1))[0]!)).toBe('NO')
})

test.each(stores)('quota: executions older than the counter are included in it, %s', async (_, open) => {
  const { deposits, ask, sign, used } = await world(3, open)
  const all = await deposits(5)
  await Promise.all(all.slice(0, 2).map(sign))
  expect(await used()).toBe(2)
  const results = await Promise.all(all.slice(2).map(ask))
  expect(results.filter((place) => place === 'YES')).toHaveLength(1)
})

test('quota: no more deposits are signed than the quota allows, in any order of claims, writes and losses', () => {
  type Deed = { deed: 'claim' | 'sign' | 'go on' | 'settle'; n: number }
  const deeds = fc.array(fc.record<Deed>({ deed: fc.constantFrom('claim', 'sign', 'go on', 'settle'), n: fc.nat(5) }), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(deeds, fc.nat(4), (all, most) => {
      let counter: QuotaCounter = { id: month, version: 0, most, countedAt: 0, used: 0, held: [] }
      const records = Array.from({ length: 6 }, (_, n) => ({ id: `${n}`, version: 1, quotaKey: null as string | null }))
      const results = new Map<string, number>()
      for (const { deed, n } of all) {
        const record = records[n]!
        if (deed === 'settle') counter = settledQuota(counter, records)
        if (deed === 'go on') record.version += 1
        if (deed === 'claim' && record.quotaKey === null) {
          const claimed = claimQuota(settledQuota(counter, records), [record])
          counter = claimed.counter
          if (claimed.results[0] === 'YES') results.set(record.id, record.version)
        }
        if (deed === 'sign' && results.get(record.id) === record.version && record.quotaKey === null)
          Object.assign(record, { quotaKey: month, version: record.version + 1 })
      }
      const signed = records.filter(({ quotaKey }) => quotaKey !== null).length
      expect(signed).toBeLessThanOrEqual(most)
      expect(settledQuota(counter, records).used).toBe(signed)
    }),
  )
})

test('quota: an organization is warned at 80 and at 100 percent of its limit, with its reservations', () => {
  const warningOf = (used: number, reserved: number, most: number) => {
    const held = Array.from({ length: reserved }, (_, n) => ({ id: `${n}`, version: 1 }))
    return quotaWarningOf({ id: month, version: 1, most, countedAt: 0, used, held }, 'org_1', 7)
  }
  const percentOf = (used: number, reserved: number, most = 100) => warningOf(used, reserved, most)?.percent
  expect([percentOf(79, 0), percentOf(80, 0), percentOf(60, 20), percentOf(99, 0)]).toEqual([undefined, 80, 80, 80])
  expect([percentOf(100, 0), percentOf(90, 11)]).toEqual([100, 100])
  expect([percentOf(799, 0, 1_000), percentOf(999, 0, 1_000)]).toEqual([undefined, 80])
  // No unit of three is between 80 and 100 percent.
  expect([percentOf(2, 0, 3), percentOf(3, 0, 3)]).toEqual([undefined, 100])
  expect(warningOf(80, 5, 100)).toEqual({
    ...{ id: `${month}:100:80`, organizationId: 'org_1', quotaKey: month, at: 7, percent: 80, limit: 100, used: 85 },
  })
})

test('quota: a later version takes a reservation over, and the same or an earlier one changes nothing', () => {
  const counter: QuotaCounter = {
    id: month,
    version: 1,
    most: 1,
    countedAt: 0,
    used: 0,
    held: [{ id: 'a', version: 2 }],
  }
  const claimed = [1, 2, 3].map((version) => claimQuota(counter, [{ id: 'a', version }]))
  expect(claimed.map(({ results, isChanged }) => [results[0], isChanged])).toEqual([
    ['YES', false],
    ['YES', false],
    ['YES', true],
  ])
  expect(claimed.map((each) => each.counter.held)).toEqual([2, 2, 3].map((version) => [{ id: 'a', version }]))
})
