/** What there is so much of, for all processes together. */
export interface Budgets {
  /**
   * Takes an amount out of `most`; false, and nothing is taken, when less than that is left.
   *
   * @param forgetAt when nobody asks for this one any more. @param amount whole, 1 or more; one where it is not said.
   */
  take(id: string, most: number, forgetAt: number, amount?: number): Promise<boolean>
  /** Gives back what was taken and not used. */
  giveBack(id: string, amount?: number): Promise<void>
}
