import type { QuotaBug } from './quotas'
import type { Bug } from './view'

type Counting = Parameters<QuotaBug>[0]['executions']

/** The records that a quota counts, with some reads replaced. */
const countingWith =
  (replaced: (executions: Counting) => Partial<Counting>): Bug =>
  () => ({
    quota: ({ executions }) => ({
      executions: {
        countQuota: (...asked) => executions.countQuota(...asked),
        carriers: (ids) => executions.carriers(ids),
        ...replaced(executions),
      },
    }),
  })

/** Planted bugs of quotas. */
export const bugsOfQuotas: Record<string, Bug> = {
  'the signed executions of a quota are not counted': countingWith(() => ({ countQuota: async () => 0 })),
  'a unit of a quota is free again once its deposit is signed': countingWith(({ carriers }) => ({
    carriers: async (ids) => (await carriers(ids)).map((one) => ({ ...one, quotaKey: null })),
  })),
}
