/**
 * Alchemy's price of each request in compute units: https://www.alchemy.com/docs/reference/compute-unit-costs, as of
 * 2026-11. A batch costs the sum of its requests. Other companies charge per request, or in similar proportions.
 */
const computeUnits: Readonly<Record<string, number>> = {
  eth_chainId: 0,
  eth_blockNumber: 10,
  eth_subscribe: 10,
  eth_maxPriorityFeePerGas: 10,
  eth_createAccessList: 10,
  eth_getBlockByNumber: 20,
  eth_getTransactionReceipt: 20,
  eth_getTransactionByHash: 20,
  eth_getTransactionCount: 20,
  eth_getBalance: 20,
  eth_getCode: 20,
  eth_getStorageAt: 20,
  eth_estimateGas: 20,
  trace_block: 20,
  eth_call: 26,
  eth_sendRawTransaction: 40,
  debug_traceTransaction: 40,
  debug_traceBlockByNumber: 40,
  eth_getLogs: 60,
}
/** Price of most methods outside the table. */
const usualUnits = 20

export const computeUnitsOf = (method: string): number => computeUnits[method] ?? usualUnits

/** Use of a day's budget for requests to nodes. */
export type BudgetState = 'WITHIN' | 'NEAR' | 'SPENT'

/** From this share of the budget on, operators are alerted. */
const nearShare = 0.8

/** @param budget Requests that a day may cost; null for no limit. */
export function budgetStateOf(spent: number, budget: number | null): BudgetState {
  if (budget === null || spent < nearShare * budget) return 'WITHIN'
  return spent < budget ? 'NEAR' : 'SPENT'
}
