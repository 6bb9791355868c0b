/** One request, as shown to the callers of a key. */
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
   * Notes a request. Notes are written once a second, and a request never waits for them. Counts are kept until they
   * are stored, even while the database is down. A process that is killed loses the counts of its last second, or of
   * the outage.
   */
  note(keyId: string, request: RequestNote): void
  /** Returns the newest 100 requests of a key, newest first. */
  ofKey(keyId: string): Promise<RequestNote[]>
  /**
   * Returns the numbers of requests and of failures, by key and day (`2026-11-21`, both ends included). Null stands for
   * every key.
   */
  counts(keyIds: readonly string[] | null, from: string, to: string): Promise<RequestCount[]>
  /** Writes the pending notes. Called when a process ends. */
  settle(): Promise<void>
}

/** Requests of a key on a day. `errors` counts responses with a status of 400 or more. */
export type RequestCount = { keyId: string; date: string; requests: number; errors: number }
