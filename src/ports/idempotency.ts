/** A request's first answer, kept for who sends it again (extensions 8.1). */
export type KeptAnswer = { status: number; body: string }

export type Begun =
  | { kind: 'BEGUN'; turn: string }
  | { kind: 'KEPT'; answer: KeptAnswer }
  | { kind: 'RUNNING' }
  /** The key was used for another request. */
  | { kind: 'OTHER' }

export interface IdempotentRequests {
  /** @param id organization and key. @param fingerprint of method, path and validated body. */
  begin(id: string, fingerprint: string, at: number): Promise<Begun>
  keep(id: string, turn: string, answer: KeptAnswer): Promise<void>
  /** It was refused and changed nothing: the key is free again. */
  release(id: string, turn: string): Promise<void>
}
