/** How much of a day's budget for requests to nodes is spent. */
export type BudgetState = 'WITHIN' | 'NEAR' | 'SPENT'

/** From this share on, the operators are told. */
const nearShare = 0.8

/** @param budget the requests that a day may cost; null for any number. */
export function budgetStateOf(spent: number, budget: number | null): BudgetState {
  if (budget === null || spent < nearShare * budget) return 'WITHIN'
  return spent < budget ? 'NEAR' : 'SPENT'
}
