/** Number of entries in the signing log, and the hash of the last entry. */
export type LogHead = { count: number; last: string }

/**
 * The signing log's head as any worker last saw it. All workers share it, and it survives restarts. `other` is a head
 * that did not follow from it: the log was shortened or replaced.
 */
export type SignerLogState = { id: string; version: number; other: LogHead | null } & LogHead

/** One signer with one log serves all workers. */
export const signerLogId = 'signer'
