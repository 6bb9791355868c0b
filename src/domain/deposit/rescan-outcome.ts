export const rescanOutcomes = [
  'DEPOSIT',
  'KNOWN',
  'NOT_MINED',
  'NOT_FOUND',
  'REVERTED',
  'NO_TRANSFER_TO_US',
  'NOT_TRACED',
  'TOKEN_NOT_SUPPORTED',
] as const

export type RescanOutcome = (typeof rescanOutcomes)[number]
