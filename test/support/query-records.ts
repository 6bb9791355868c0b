import type { Address } from '../../src/domain/chain/hex'
import type { DepositIntent, IntentSnapshot } from '../../src/domain/deposit/deposit-intent'
import type { Execution } from '../../src/domain/execution/execution'
import type { DepositFilter, ExecutionFilter } from '../../src/ports/queries'
import { addressOf, executionOf, hashOf } from './deposits'
import type { stores } from './stores'

export const whose = { organizationId: 'org_1' }
export const shown = (n: number, changed: Partial<Execution> = {}) =>
  executionOf(n, { createdAt: n, status: 'RUNNING', state: 'RUNNING', ...changed }, { detectedAt: n })
export const idOf = (n: number) => executionOf(n).id

const route = { provider: 'lifi' } as never
export const intent = { targetChainId: 42161, apiKeyId: 'key_1' } as IntentSnapshot
export const intentOf = (account: number, targetAddress: Address): DepositIntent => ({
  id: addressOf(account),
  version: 0,
  organizationId: 'org_1',
  userId: `user-${account}`,
  apiKeyId: 'key_1',
  targetChainId: 42161,
  targetTokenAddress: addressOf(1),
  targetAddress,
  protocolFeeBps: 0,
  sponsoredGas: false,
  refundAddress: null,
  createdAt: 1,
  updatedAt: 1,
})
export const detailed = shown(2, {
  state: 'DEAD_LETTER',
  status: 'DEAD_LETTER',
  completedAt: 2,
  dueAt: null,
  cause: { code: 'NO_ROUTE', category: 'VALIDATION', message: 'why', at: 1 },
  facts: {
    intent,
    route,
    routeId: hashOf(0xeeee),
    transactions: [{ hash: hashOf(0xa1), nonce: 1, sender: 'key', at: 1 }],
    spent: { hash: hashOf(0xa2), block: 1, amountRaw: '1', at: 1 },
    delivery: { hash: hashOf(0xa3), chainId: 42161, token: addressOf(1), amountRaw: '1', block: 1 },
  },
})

/** Opens a store with these executions. Returns the ids that its lists show. */
export async function openedWith(open: (typeof stores)[number][1], records: readonly Execution[]) {
  const { store } = await open()
  for (const record of records) await store.executions.save(record)
  const ids = async (filter: Partial<ExecutionFilter>, page = {}) =>
    (await store.executionQueries.list({ ...whose, ...filter }, { limit: 100, ...page })).map(({ id }) => id)
  const deposits = async (filter: Partial<DepositFilter>, page = {}) =>
    (await store.depositQueries.list({ ...whose, ...filter }, { limit: 100, ...page })).map(({ id }) => id)
  return { store, ids, deposits }
}
