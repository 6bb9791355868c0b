import type { Execution } from '../../../src/domain/execution/execution'
import { withMethod, withoutFinds } from './bug-tools'
import type { Bug } from './view'

/** Planted bugs of the sweep of balances. Worlds without a sweep are the same with and without them. */
export const bugsOfSweeps: Record<string, Bug> = {
  'the sweep ignores that money left after the block that it reads': () => ({
    sweeping: ({ executions }) => ({
      executions: withMethod(executions, 'ledgerOf', async (lane) => {
        const book = await executions.ledgerOf(lane, Number.MAX_SAFE_INTEGER)
        return book && { ...book, lastBlock: -1 }
      }),
    }),
  }),
  'the sweep does not wait for the scan': () => ({
    sweeping: ({ scannedTo }) => ({ scannedTo: async () => (await scannedTo()) + 1_000 }),
  }),
  'all money that the sweep finds in an account has one number': () => ({
    sweeping: ({ executions }) => ({ executions: withoutFinds(executions) }),
  }),
  'a range that is read again takes what the sweep has found': () => ({
    sweeping: ({ executions }) => ({
      executions: withMethod(executions, 'load', async (id) => (await executions.load(id)) ?? ({} as Execution)),
    }),
  }),
  'the sweep does not wait until the scan has read a reorganized chain': () => ({
    sweeping: () => ({ isScanCurrent: async () => true }),
  }),
}
