import { expect, test } from 'bun:test'
import { RoutingError } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution'
import type { Chains } from '../../src/ports/chain-client'
import { verifyBalance } from '../../src/routing/steps/verify-balance'
import { executionOf } from '../support/deposits'
import { executionsInMemory } from '../support/records'

/** One deposit of 1000 whose account holds what is said, beside others of its lane. */
async function received(balance: bigint, others: Execution[] = []): Promise<string> {
  const own = executionOf(1, { version: 1 })
  const executions = executionsInMemory(own, ...others)
  const chain = { confirmed: async () => ({ number: 10 }), balanceOf: async () => balance }
  const chains = new Proxy({}, { get: () => chain }) as Chains
  const step = verifyBalance({ chains, executions, scannedTo: async () => 10, pollMs: () => 1, now: () => 0 })
  return step(own).then(
    (outcome) => ('facts' in outcome && outcome.facts?.balance?.totalReceivedRaw) || JSON.stringify(outcome),
    (error) => (error instanceof RoutingError ? error.code : String(error)),
  )
}

const failed = executionOf(2, { version: 1, state: 'DEAD_LETTER', status: 'DEAD_LETTER', dueAt: null })
const waiting = executionOf(3, { version: 1 })

// Columns: what the node says is there, what else the lane has; what this deposit may spend.
test.each<[string, bigint, Execution[], string]>([
  ['what it brought', 1_000n, [], '1000'],
  ['the residue of one that failed is taken along', 2_000n, [failed], '2000'],
  ['another’s is left alone', 2_000n, [waiting], '1000'],
  ['what no record explains is not taken along', 10_000n, [], '1000'],
  ['nor beside another’s', 10_000n, [waiting], '1000'],
  ['nor beside residue', 10_000n, [failed], '2000'],
  ['less than it brought is too little', 999n, [], 'BALANCE_TOO_LOW'],
  ['what others need is not there for it', 1_500n, [waiting], 'BALANCE_TOO_LOW'],
])('verifyBalance: %s', async (_case, balance, others, answer) => {
  expect(await received(balance, others)).toBe(answer)
})
