/** Limited amounts that all processes share. */
export interface Budgets {
  /**
   * Takes an amount out of `most`. Returns false and takes nothing when less than that is left.
   *
   * @param forgetAt When nobody asks for this budget any more, in milliseconds since 1970.
   * @param amount A whole number of 1 or more; 1 by default.
   */
  take(id: string, most: number, forgetAt: number, amount?: number): Promise<boolean>
  /** Gives back what was taken and not used. */
  giveBack(id: string, amount?: number): Promise<void>
}
