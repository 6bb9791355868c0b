/** A mutant that no test can kill, because the program does the same with it. */
export type Equivalent = {
  path: string
  /** The whole first line of the change, without its indentation. */
  line: string
  from: string
  to: string
  why: string
}

export const equivalents: readonly Equivalent[] = []
