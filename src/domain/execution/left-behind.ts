import { type Status, statusNames, type TerminalStatus } from './status'

/**
 * What an execution leaves to the platform's operators when its organization is deleted. One that has not ended leaves
 * its money. Anybody can send dust and what is on the security list, so nobody is asked about these.
 */
const leavesMoney = {
  SUCCESS: false,
  DEAD_LETTER: true,
  TOKEN_BLACKLISTED: false,
  FAILED_UNROUTABLE_MAIN: true,
  FAILED_INVALID_INPUT: true,
  FAILED_NO_FUNDS: false,
  FAILED_INSUFFICIENT_AFTER_FEES: false,
  QUOTA_EXCEEDED: true,
} as const satisfies Record<TerminalStatus, boolean>

const ended: Partial<Record<Status, boolean>> = leavesMoney

/** Those that have ended in one of these, and whose money no other execution has. */
export const leftBehindStatuses: readonly Status[] = statusNames.filter((status) => ended[status])
