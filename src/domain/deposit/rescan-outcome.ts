export const foundCodes = [
  'DEPOSIT',
  'KNOWN',
  'NOT_MINED',
  'NOT_FOUND',
  'REVERTED',
  'NO_TRANSFER_TO_US',
  'TOKEN_NOT_SUPPORTED',
] as const

export type Found = (typeof foundCodes)[number]
