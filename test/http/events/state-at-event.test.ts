import { expect, test } from 'bun:test'
import { withHistoryEntry } from '../../../machines/execution'
import { depositIdOf, type Execution, sweptDepositIdOf } from '../../../src/domain/execution/execution'
import type { WaitReason } from '../../../src/domain/execution/retry'
import { draftsOfExecution, draftsOfSighting } from '../../../src/events/deposit-events'
import { isoTime } from '../../../src/http/views/scalar'
import { transactionsOf } from '../../../src/http/views/transaction'
import { hashOf, sightingOf } from '../../support/deposits'
import { intent, shown } from '../routes/shown-executions'

const context = {
  findToken: () => null,
  confirmationsRequired: () => 1,
  scannedBlock: () => 1,
  now: 100,
  isPlatform: false,
}

/** An execution whose transaction was sent, and which then began to wait. */
const waiting = (reason: WaitReason, since: number) => {
  const signed = shown(1, 10, { status: 'PENDING', state: 'PENDING' })
  const entry = { at: 20, event: 'order signed', from: 'signing order', to: 'PENDING', status: 'PENDING', note: null }
  const pending = withHistoryEntry(signed, entry as never)
  return { ...pending, facts: { ...pending.facts, waiting: { for: reason, since } } }
}
const toldOf = (execution: ReturnType<typeof waiting>) =>
  draftsOfExecution(execution)
    .filter(({ at }) => at === 20)
    .map(({ render }) => (render(context).data as { next: { message: string } }).next.message)

test('an event does not show what the execution waited for later', () => {
  expect(toldOf(waiting('PROVIDER', 25))).toEqual(['The route is chosen, and its transaction is about to be sent.'])
})

test('an event shows what the execution waited for at that time', () => {
  expect(toldOf(waiting('GAS', 20))).toEqual(['It waits until our relayer has a free slot and coin for gas.'])
})

test('a late report shows the execution as not overdue, because operators had not been notified then', () => {
  const longAfter = { ...context, now: 30 * 86_400_000 }
  const record = waiting('PROVIDER', 25)
  const sighting = sightingOf(1, { id: record.id, detectedAt: 10, updatedAt: 60 })
  const told = [...draftsOfExecution(record), ...draftsOfSighting(sighting)]
  expect(told.map(({ type, render }) => [type, render(longAfter).data])).toEqual(
    told.map(({ type, render }) => [type, render(context).data]),
  )
  const nexts = told.map(({ render }) => render(longAfter).data as { next?: { action: string } })
  expect(nexts.flatMap(({ next }) => (next ? [next.action] : []))).toEqual(['ROUTE', 'SUBMIT', 'CONFIRM'])
})

test('a refund is a transaction of the execution that sent the money, once this is known', () => {
  const [sent, back] = [hashOf(9), hashOf(10)]
  const { deposit } = shown(1, 10)
  const out = shown(1, 10, {
    facts: { intent, spent: { hash: sent, block: 7, amountRaw: deposit.amountRaw, at: 12 } },
  })
  const entry = (at: number, event: string, to: string) => ({ at, event, from: 'RUNNING', to, status: to, note: null })
  const running = withHistoryEntry(out, entry(20, 'funds seen leaving', 'RUNNING') as never)
  const continuedBy = depositIdOf(8453, back, 3)
  const claimed = withHistoryEntry({ ...running, continuedBy }, entry(30, 'funds returned', 'RUNNING') as never)
  const ended = withHistoryEntry(
    {
      ...claimed,
      state: 'DEAD_LETTER',
      status: 'DEAD_LETTER',
      completedAt: 40,
      dueAt: null,
      facts: { ...claimed.facts, returned: { hash: back } },
    },
    entry(40, 'order failed', 'DEAD_LETTER') as never,
  )
  const refunded = { role: 'REFUND', chainId: deposit.chainId, txHash: back, status: 'CONFIRMED', blockNumber: null }
  const rowsOf = (execution: Execution) => transactionsOf(execution).filter(({ role }) => role === 'REFUND')
  expect(rowsOf(running)).toEqual([])
  for (const known of [claimed, ended]) expect(rowsOf(known)).toMatchObject([{ ...refunded, at: isoTime(30) }])
  expect(rowsOf({ ...ended, continuedBy: null })).toMatchObject([refunded])
  const swept = sweptDepositIdOf(8453, deposit.account, deposit.token, 1)
  expect(rowsOf({ ...claimed, continuedBy: swept })).toEqual([])
})
