/** What a key's callers may see of their own requests. */
export type RequestNote = {
  at: number
  requestId: string
  method: string
  /** The route, with the names of its parameters. */
  path: string
  status: number
  errorCode: string | null
  durationMs: number
}

export interface RequestLog {
  /**
   * Gathered and written once a second: a request never waits for it. What was counted is kept until it is stored, also
   * while the database is away; a process that is killed loses the counts of its last second, or of the outage.
   */
  note(keyId: string, request: RequestNote): void
  /** The newest 100 of a key, newest first. */
  ofKey(keyId: string): Promise<RequestNote[]>
  /** By key and day (`2026-11-21`, both ends included): how many there were, how many failed. Null: of every key. */
  counts(keyIds: readonly string[] | null, from: string, to: string): Promise<RequestCount[]>
  /** Writes what is not written yet, at the end of a process. */
  settle(): Promise<void>
}

/** `errors`: those that were answered with 400 or more. */
export type RequestCount = { keyId: string; date: string; requests: number; errors: number }
