import { type ChainKey, chainKeys } from '../../src/domain/chain/chain'
import type { NodesBill } from '../../src/http/dashboard/ports'
import type { NodeRequests } from '../../src/ports/chain-client'

type Counted = Record<string, Awaited<ReturnType<NodeRequests['on']>>>

/** Requests counted per day, without a budget unless one is given. */
export const nodesBillOf = (counted: Counted = {}, budgets: Partial<Record<ChainKey, number>> = {}): NodesBill => ({
  requests: { on: async (date) => counted[date] ?? [] },
  budgets: Object.fromEntries(chainKeys.map((key) => [key, budgets[key] ?? null])) as NodesBill['budgets'],
})
