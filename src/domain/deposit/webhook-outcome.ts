/**
 * What became of a webhook. `EMPTY`: nothing in it is for us. `UNREADABLE`: its format is not known. `NOT_STORED`: it
 * could not be stored, so its sender tries again. `FORGED`: no key that we know signed it.
 */
export const webhookOutcomes = ['STORED', 'EMPTY', 'UNREADABLE', 'NOT_STORED', 'FORGED'] as const
export type WebhookOutcome = (typeof webhookOutcomes)[number]
