/** What may be had so many times, by all processes together. */
export interface Budgets {
  /** Takes one of `most`; false when there is none left. @param forgetAt when nobody asks for this one any more. */
  take(id: string, most: number, forgetAt: number): Promise<boolean>
}
