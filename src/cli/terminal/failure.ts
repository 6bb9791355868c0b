/** An error that the person at the keyboard can understand and act on. It is shown as one sentence, without a stack. */
export class Failure extends Error {
  override name = 'Failure'
}

/** The message of any error, for the terminal. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
