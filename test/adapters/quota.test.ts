import { expect, test } from 'bun:test'
import { planLimits } from '../../src/adapters/plan-limits'
import type { Organization } from '../../src/domain/organization'
import { quotaKeyOf } from '../../src/domain/quota'
import { budgetsInMemory } from '../support/budgets'

const month = quotaKeyOf('org_1', 0)

function world(monthlyExecutions: number) {
  const counted = new Map<string, string>()
  const clock = { at: 0 }
  const limits = planLimits({
    organizations: {
      load: async () => ({ plan: 'custom', customPlan: { monthlyExecutions, rates: {} } }) as unknown as Organization,
    },
    executions: {
      countQuota: async (key, except = []) =>
        [...counted].filter(([id, of]) => of === key && !except.includes(id)).length,
    },
    budgets: budgetsInMemory(),
    now: () => clock.at,
  })
  const ask = (id: string) => limits.hasQuota({ id, organizationId: 'org_1' }, 0)
  return { ask, clock, count: (id: string) => counted.set(id, month) }
}

test('quota: of many at once exactly as many get a place as there are', async () => {
  const { ask, count } = world(5)
  const ids = Array.from({ length: 20 }, (_, n) => `1:0x${n}:0`)
  const answers = await Promise.all(ids.map(ask))
  const letIn = ids.filter((_, n) => answers[n] === 'YES')

  expect(letIn).toHaveLength(5)
  expect(answers.filter((answer) => answer === 'SOON')).toHaveLength(15) // those before them may still find no route
  letIn.forEach(count)
  expect(await ask('1:0xnext:0')).toBe('NO')
})

test('quota: a place that nobody was counted for is free again', async () => {
  const { ask, clock } = world(1)
  expect(await ask('1:0xa:0')).toBe('YES')
  expect(await ask('1:0xb:0')).toBe('SOON')
  clock.at = 21_000
  expect(await ask('1:0xb:0')).toBe('YES')
})

test('quota: who was let in is let in again', async () => {
  const { ask } = world(1)
  expect(await ask('1:0xa:0')).toBe('YES')
  expect(await ask('1:0xa:0')).toBe('YES')
})

test('quota: a quota of zero lets nobody in', async () => {
  expect(await world(0).ask('1:0xa:0')).toBe('NO')
})
