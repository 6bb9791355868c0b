/** `FORGED`: nobody we know signed it. `EMPTY`: nothing in it is for us. `NOT_STORED`: its sender tries again. */
export const webhookOutcomes = ['STORED', 'EMPTY', 'UNREADABLE', 'NOT_STORED', 'FORGED'] as const
export type WebhookOutcome = (typeof webhookOutcomes)[number]
