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
  /** Gathered and written now and then: a crash loses the last moments, a request never waits for it. */
  note(keyId: string, request: RequestNote): void
  /** The newest 100 of a key, newest first. */
  ofKey(keyId: string): Promise<RequestNote[]>
  /** By key and day (`2026-11-21`): how many there were, how many of them failed. */
  counts(keyIds: readonly string[], from: string, to: string): Promise<RequestCount[]>
}

export type RequestCount = { keyId: string; date: string; requests: number; errors: number }
