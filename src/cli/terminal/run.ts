/** What a command does, with its errors said and its exit code. */
export type Run = <Given extends unknown[]>(
  act: (...given: Given) => Promise<void>,
) => (...given: Given) => Promise<void>
/** Reads an option that is a whole number within bounds. */
export type Whole = (least: number, most: number) => (text: string) => number
