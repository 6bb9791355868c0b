import type { Status } from './status'

/** What ended so waits for somebody to act: `next` names an operator or the integrator, unless it was superseded. */
export const attentionStatuses = [
  'DEAD_LETTER',
  'TOKEN_BLACKLISTED',
  'QUOTA_EXCEEDED',
  'FAILED_UNROUTABLE_MAIN',
  'FAILED_INVALID_INPUT',
] as const satisfies readonly Status[]
