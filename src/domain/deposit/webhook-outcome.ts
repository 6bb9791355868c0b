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
