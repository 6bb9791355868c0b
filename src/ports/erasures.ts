import type { Records } from './records'

/** A request to erase a person or an organization. It is stored first, so a crash leaves nothing half done. */
export type Erasure = {
  id: string
  version: number
  kind: 'PERSON' | 'ORGANIZATION'
  /** The id of the person or the organization. */
  subject: string
  /** The person's e-mail address, used to find names; null for an organization, and after everything is removed. */
  email: string | null
  askedAt: number
  doneAt: number | null
}

export interface Erasures extends Records<Erasure> {
  /** Removes stored names and secrets everywhere. It is safe to repeat, and to run in two processes together. */
  carryOut(erasure: Erasure): Promise<void>
  /**
   * Repeats the erasures that were requested before a time and marks them as done. A crash might have interrupted one,
   * and a concurrent request might have stored a name after it. From then on, changes of an organization's recipients
   * are not held back. Returns the number of erasures.
   */
  finish(before: number): Promise<number>
}
