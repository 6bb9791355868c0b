import { type Status, statusNames, type TerminalStatus } from './status'

/**
 * Whether each final status leaves money that operators must handle when its organization is deleted. An execution that
 * has not ended always leaves its money. Dust and tokens on the security list can come from any sender, so they need no
 * action.
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

/** Final statuses that leave money, unless another execution has it. */
export const leftBehindStatuses: readonly Status[] = statusNames.filter((status) => ended[status])
