import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { planLimits } from '../../src/adapters/plan-limits'
import type { Organization } from '../../src/domain/organization'
import { policyBounds, policyWith } from '../../src/domain/policy-overrides'
import { defaultPolicy } from '../../src/domain/route'
import { budgetsInMemory } from '../support/budgets'
import { stores } from '../support/stores'

function limitsOf(organization: Partial<Organization> | null) {
  const clock = { at: 0 }
  const stored = { organization }
  const limits = planLimits({
    organizations: { load: async () => stored.organization as Organization | null },
    executions: { countQuota: async () => 0 },
    budgets: budgetsInMemory(),
    now: () => clock.at,
  })
  return { limits, clock, stored }
}

test('an organization without a policy of its own has the platform’s', async () => {
  for (const organization of [null, { policy: null }, {}])
    expect(await limitsOf(organization).limits.policyOf('org_1')).toEqual(defaultPolicy)
})

test('what an organization says replaces what the platform says, field by field', async () => {
  const policy = { slippageBps: 10, requiresSponsoredGas: true }
  expect(await limitsOf({ policy }).limits.policyOf('org_1')).toEqual({ ...defaultPolicy, ...policy })
})

test('a change works within a second', async () => {
  const { limits, clock, stored } = limitsOf({ policy: { maxHops: 1 } })
  expect((await limits.policyOf('org_1')).maxHops).toBe(1)
  stored.organization = { policy: { maxHops: 2 } }
  clock.at = 1_000
  expect((await limits.policyOf('org_1')).maxHops).toBe(2)
})

test.each(stores)('100 failed estimates a day are forgiven in all processes together, %s', async (_name, open) => {
  const { store, other } = await open()
  const dayMs = 86_400_000
  const clock = { at: 20_500 * dayMs }
  const organizations = { load: async () => null }
  const executions = { countQuota: async () => 0 }
  const processes = [store, other].map(({ budgets }) =>
    planLimits({ organizations, executions, budgets, now: () => clock.at }),
  )
  const ask = (organizationId: string) =>
    Promise.all(Array.from({ length: 120 }, (_, n) => processes[n % 2]!.mayForgiveGas(organizationId)))
  expect((await ask('org_1')).filter(Boolean).length).toBe(100)
  expect((await ask('org_2')).filter(Boolean).length).toBe(100)
  clock.at += dayMs
  expect((await ask('org_1')).filter(Boolean).length).toBe(100)
})

test('whatever is stored, the policy is within the bounds', () => {
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
