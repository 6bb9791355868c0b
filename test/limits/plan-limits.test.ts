import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { defaultPolicy, policyBounds, policyWith } from '../../src/domain/execution/route'
import { forgivenGasBudget, refundBudget, sponsoredGasBudget, sponsoredGasOf } from '../../src/domain/limits/plan-terms'
import type { QuotaCounter } from '../../src/domain/limits/quota'
import { type Organization, plans } from '../../src/domain/tenant/organization'
import { planLimits } from '../../src/limits/plan-limits'
import { limitCountersInMemory, quotaWarningsInMemory } from '../support/limit-counters'
import { recordsInMemory } from '../support/records'
import { stores } from '../support/stores'

function limitsOf(organization: Partial<Organization> | null) {
  const clock = { at: 0 }
  const stored = { organization }
  const limits = planLimits({
    organizations: { load: async () => stored.organization as Organization | null },
    executions: { countQuota: async () => 0, carriers: async () => [] },
    quotaBooks: recordsInMemory<QuotaCounter>(),
    quotaWarnings: quotaWarningsInMemory(),
    limitCounters: limitCountersInMemory(),
    now: () => clock.at,
  })
  return { limits, clock, stored }
}

test('an organization without its own policy has the platform’s', async () => {
  for (const organization of [null, { policy: null }, {}])
    expect(await limitsOf(organization).limits.policyOf('org_1')).toEqual(defaultPolicy)
})

test('an organization’s policy replaces the platform’s, field by field', async () => {
  const policy = { slippageBps: 10, requiresSponsoredGas: true }
  expect(await limitsOf({ policy }).limits.policyOf('org_1')).toEqual({ ...defaultPolicy, ...policy })
})

test('a changed plan takes effect within a second', async () => {
  const { limits, clock, stored } = limitsOf({ policy: { maxHops: 1 } })
  expect((await limits.policyOf('org_1')).maxHops).toBe(1)
  stored.organization = { policy: { maxHops: 2 } }
  clock.at = 1_000
  expect((await limits.policyOf('org_1')).maxHops).toBe(2)
})

test.each(stores)('100 failed estimates a day are forgiven in all processes together, %s', async (_name, open) => {
  const { store, other } = await open()
  const dayMs = 86_400_000
  const clock = { at: 40_000 * dayMs }
  const organizations = { load: async () => null }
  const processes = [store, other].map((each) => planLimits({ ...each, organizations, now: () => clock.at }))
  const ask = (organizationId: string) =>
    Promise.all(Array.from({ length: 120 }, (_, n) => processes[n % 2]!.mayForgiveGas(organizationId)))
  expect((await ask('org_1')).filter(Boolean).length).toBe(100)
  expect((await ask('org_2')).filter(Boolean).length).toBe(100)
  clock.at += dayMs
  expect((await ask('org_1')).filter(Boolean).length).toBe(100)
})

test.each(stores)('5 refunds a day on each chain are paid for in all processes together, %s', async (_name, open) => {
  const { store, other } = await open()
  const organizations = { load: async () => null }
  const processes = [store, other].map((each) => planLimits({ ...each, organizations, now: () => 4e12 }))
  const ask = (organizationId: string, chainId: 1 | 8453) =>
    Promise.all(Array.from({ length: 12 }, (_, n) => processes[n % 2]!.mayGiveBack(organizationId, chainId)))
  for (const [organizationId, chainId] of [
    ['org_1', 1],
    ['org_1', 8453],
    ['org_2', 1],
  ] as const)
    expect((await ask(organizationId, chainId)).filter(Boolean).length).toBe(5)
})

test.each(stores)(
  'the day’s budget limits 40 simultaneous sponsored deposits in two processes, %s',
  async (_name, open) => {
    const { store, other } = await open()
    const dayMs = 86_400_000
    const clock = { at: 40_000 * dayMs }
    const sponsored: Partial<Organization> = {
      plan: 'custom',
      customPlan: { ...plans.free, sponsoredGasUsdPerDay: 10 },
    }
    const load = async (id: string) => (id === 'org_free' ? { plan: 'free' } : sponsored) as Organization
    const processes = [store, other].map((each) =>
      planLimits({ ...each, organizations: { load }, now: () => clock.at }),
    )
    const ask = (organizationId: string, microUsd: number | null) =>
      Promise.all(Array.from({ length: 40 }, (_, n) => processes[n % 2]!.maySponsorGas(organizationId, microUsd)))
    const paid = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).filter(Boolean).length

    expect(await paid('org_1', 700_000)).toBe(14) // 9.80 of 10 USD
    expect(await paid('org_1', 100_000)).toBe(2)
    expect(await paid('org_2', 10_000_001)).toBe(0)
    expect(await paid('org_free', 1)).toBe(0)
    clock.at += dayMs
    expect(await paid('org_1', 5_000_000)).toBe(2)
  },
)

test.each(stores)('a deposit without a price is sponsored a hundred times a day, %s', async (_name, open) => {
  const { store } = await open()
  const load = async () => ({ plan: 'growth' }) as Organization
  const { maySponsorGas } = planLimits({ ...store, organizations: { load }, now: () => 40_000 * 86_400_000 })
  const answers = await Promise.all(Array.from({ length: 120 }, () => maySponsorGas('org_1', null)))
  expect(answers.filter(Boolean).length).toBe(100)
})

test('a plan pays for gas from its daily budget, and gas too cheap to count is free', () => {
  const sponsored = (usd: number, microUsd: number | null) =>
    sponsoredGasOf({ ...plans.free, sponsoredGasUsdPerDay: usd }, microUsd)
  expect([sponsored(0, null), sponsored(0, 0), sponsored(0, 1)]).toEqual(['NEVER', 'NEVER', 'NEVER'])
  expect([sponsored(1, null), sponsored(1, 0)]).toEqual(['FORGIVEN', 'FREE'])
  expect(sponsored(3, 1)).toEqual({ microUsd: 1, mostMicroUsd: 3_000_000 })
})

test('a daily budget lasts one UTC day for each purpose and chain, and is kept for the day after', () => {
  const dayMs = 86_400_000
  const budgets = (at: number) => [
    forgivenGasBudget('org_1', at),
    refundBudget('org_1', 8453, at),
    sponsoredGasBudget('org_1', 7, at),
  ]
  for (const at of [400 * dayMs, 401 * dayMs - 1])
    expect(budgets(at)).toEqual([
      { id: 'free-gas:org_1:400', most: 100, forgetAt: 402 * dayMs },
      { id: 'given-back-8453:org_1:400', most: 5, forgetAt: 402 * dayMs },
      { id: 'sponsored-gas:org_1:400', most: 7, forgetAt: 402 * dayMs },
    ])
})

test('the policy is within the bounds, whatever is stored', () => {
  const anything = fc.record(
    Object.fromEntries([...Object.keys(defaultPolicy), '__proto__'].map((name) => [name, fc.anything()])),
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(anything, (overrides) => {
      const policy = policyWith(overrides as never)
      for (const [name, { least, most }] of Object.entries(policyBounds)) {
        const value = policy[name as keyof typeof policyBounds]
        expect(Number.isInteger(value) && value >= least && value <= most).toBe(true)
      }
      expect(typeof policy.requiresSponsoredGas).toBe('boolean')
      expect(Object.keys(policy).sort()).toEqual(Object.keys(defaultPolicy).sort())
    }),
  )
})
