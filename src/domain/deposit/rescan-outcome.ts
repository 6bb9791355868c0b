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

/**
 * Result of a webhook.
 *
 * - `EMPTY`: nothing in it concerns us.
 * - `UNREADABLE`: its format is unknown.
 * - `NOT_STORED`: it could not be stored, so its sender retries.
 * - `FORGED`: no known key signed it.
 */
export const webhookOutcomes = ['STORED', 'EMPTY', 'UNREADABLE', 'NOT_STORED', 'FORGED'] as const
export type WebhookOutcome = (typeof webhookOutcomes)[number]
