import type { Records } from './records'

/** That a person or an organization is to be removed. It is stored first, so that a crash leaves nothing half done. */
export type Erasure = {
  id: string
  version: number
  kind: 'PERSON' | 'ORGANIZATION'
  /** The id of the person or the organization. */
  subject: string
  /** The address of the person, by which names are found; null for an organization, and once everything is removed. */
  email: string | null
  askedAt: number
  doneAt: number | null
}

export interface Erasures extends Records<Erasure> {
  /** Removes names and secrets wherever they are stored. It may run twice, and at once in two processes. */
  carryOut(erasure: Erasure): Promise<void>
  /**
   * Carries out once more what was asked for before a time, and notes that it is done: a crash may have interrupted it,
   * and a request that was under way may have stored a name behind it. Changes of an organization's recipients are not
   * held back from then on. Returns how many these were.
   */
  finish(before: number): Promise<number>
}
