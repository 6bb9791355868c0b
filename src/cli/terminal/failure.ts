/** An error that the person at the terminal can understand and fix. It is shown as one sentence, without a stack. */
export class Failure extends Error {
  override name = 'Failure'

  /** @param code The service's error code, if the service refused. */
  constructor(
    message: string,
    readonly code: string | null = null,
  ) {
    super(message)
  }
}

/** Returns the message of any error, for the terminal. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
