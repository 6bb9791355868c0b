import { expect, test } from 'bun:test'
import { sweepBalances } from '../../src/detection/sweeps/sweep-balances'
import { laneId } from '../../src/domain/execution/lane'
import { account, executionOf, token } from '../support/deposits'
import { executionsInMemory } from '../support/records'

test('a balance sweep that began before a re-drive does not find the re-driven money again', async () => {
  // The node was wrong at first: the deposit ended FAILED_NO_FUNDS although its 1000 are there. An operator re-drives
  // it as a refund, measured at block 12. A long balance sweep still judges by block 11.
  const first = executionOf(1, { version: 1, state: 'FAILED_NO_FUNDS', dueAt: null, redrivenBy: 'x' }, { block: 5 })
  const again = executionOf(1, { version: 1, id: `${first.id}:r1`, redriveOf: first.id }, { block: 12 })
  const executions = executionsInMemory(first, again)
  const swept: unknown[] = []
  const { sweep } = sweepBalances({
    executions,
    chain: {
      chainId: 8453,
      confirmed: async () => ({ number: 11, hash: '0x', time: 0 }),
      confirmedNumber: async () => 11,
      holders: async () => ({ holding: [account], unread: [] }),
      balanceOf: async () => 1_000n,
    } as never,
    accounts: { find: async () => ({ id: account, organizationId: 'org_1', userId: 'user-1' }) } as never,
    intake: {
      async swept(_account: unknown, find: unknown) {
        swept.push(find)
        return 'STORED'
      },
    } as never,
    scannedTo: async () => 100_000,
    isScanCurrent: async () => true,
    onTrouble: (error) => {
      throw error
    },
  })
  await sweep(token, [account])
  expect(executions.all()[0]!.deposit.lane).toBe(laneId(account, 8453, token))
  expect(swept).toEqual([])
})
