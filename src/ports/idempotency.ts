/** The first response to a request, kept for repetitions of the same request (extensions 8.1). */
export type StoredResponse = { status: number; body: string }

export type Begun =
  | { kind: 'BEGUN'; turn: string }
  | { kind: 'KEPT'; answer: StoredResponse }
  | { kind: 'RUNNING' }
  /** The key was used for another request. */
  | { kind: 'OTHER' }

export interface IdempotentRequests {
  /**
   * @param id Organization and idempotency key.
   * @param fingerprint A hash of method, path and validated body.
   */
  begin(id: string, fingerprint: string, at: number): Promise<Begun>
  keep(id: string, turn: string, answer: StoredResponse): Promise<void>
  /** Releases the key of a refused request that changed nothing. */
  release(id: string, turn: string): Promise<void>
}
