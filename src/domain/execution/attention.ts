import type { Status } from './status'

/**
 * An execution that ended in one of these statuses waits for somebody to act. Unless it was superseded, `next` names an
 * operator or the integrator.
 */
export const attentionStatuses = [
  'DEAD_LETTER',
  'TOKEN_BLACKLISTED',
  'QUOTA_EXCEEDED',
  'FAILED_UNROUTABLE_MAIN',
  'FAILED_INVALID_INPUT',
] as const satisfies readonly Status[]
