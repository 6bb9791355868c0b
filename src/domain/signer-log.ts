/** How many entries the signing log has, and the hash of the last one. */
export type LogHead = { count: number; last: string }

/**
 * How far the signer's log had come when any worker last heard of it, kept for all workers and through their restarts.
 * `other` is a head that did not go on from there: somebody shortened the log, or it is another one.
 */
export type KnownLog = { id: string; version: number; other: LogHead | null } & LogHead

/** There is one signer for all workers, with one log. */
export const knownLogId = 'signer'
