import type { Execution } from './execution'
import { defaultPolicy } from './route'

/** After what was promised an operator has this much patience. Source: beyond, 4.3. */
const slackMs = 10 * 60_000

/** When a delivery that is waited for becomes an operator's business; null where nothing was sent. */
export function escalatedAt({ facts }: Pick<Execution, 'facts'>): number | null {
  const submittedAt = facts.transactions?.[0]?.at ?? facts.spent?.at
  if (submittedAt === undefined) return null
  const { maxDurationSeconds } = facts.policy ?? defaultPolicy
  return submittedAt + maxDurationSeconds * 1_000 + slackMs
}
