/** Use of a day's budget for requests to nodes. */
export type BudgetState = 'WITHIN' | 'NEAR' | 'SPENT'

/** From this share of the budget on, operators are alerted. */
const nearShare = 0.8

/** @param budget Requests that a day may cost; null for no limit. */
export function budgetStateOf(spent: number, budget: number | null): BudgetState {
  if (budget === null || spent < nearShare * budget) return 'WITHIN'
  return spent < budget ? 'NEAR' : 'SPENT'
}
