/** What the person at the keyboard has to know or mend: said as it is, without a stack. */
export class Failure extends Error {
  override name = 'Failure'
}

/** One sentence, or a few, for the terminal. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
