import { expect, test } from 'bun:test'
import { stateNames } from '../../machines/execution'
import { errorCodes, errorRow } from '../../src/domain/error'
import { isOver, isUnspent } from '../../src/domain/execution/execution'
import { includedResidue, isResidue, laneLedger, successorOf } from '../../src/domain/execution/lane'
import { retry } from '../../src/domain/execution/retry'
import {
  attentionStatuses,
  leftBehindStatuses,
  residueStatuses,
  statuses,
  statusNames,
  terminalStatuses,
} from '../../src/domain/execution/status'
import { holdingOf } from '../../src/domain/money/holding'
import { lifecycle } from '../../src/routing/engine/lifecycle'
import { executionOf } from '../support/deposits'
import { testAll } from '../support/test-all'
import { spent } from '../support/world'

const amountRaw = 1_000n

/** A deposit that ended in a status before its money left, and the resulting ledger of its lane. */
function endedIn(status: (typeof terminalStatuses)[number]) {
  const at = { state: status, status, completedAt: 5, dueAt: null, history: [] }
  return executionOf(1, at, { block: 1, amountRaw: String(amountRaw) })
}

/** The next deposit of the lane, which spends the whole ledger. */
const takerOf = (spentRaw: bigint) =>
  executionOf(
    2,
    {
      state: 'RUNNING',
      facts: {
        balance: { totalReceivedRaw: String(spentRaw), block: 9 },
        spent: { ...spent, amountRaw: String(spentRaw) },
      },
    },
    { block: 2, amountRaw: String(amountRaw) },
  )

testAll(terminalStatuses.filter((status) => status !== 'SUCCESS'))(
  'a lane’s ledger and the claims of its records agree for every final status',
  (status) => {
    const ended = endedIn(status)
    const isThere = laneLedger([ended], 9).broughtRaw === amountRaw
    expect(isThere).toBe(statuses[status].money !== 'NEVER_CAME')
    expect(holdingOf(ended).holder === 'DEPOSIT_ACCOUNT').toBe(isThere)

    // The money is either reserved by the ended record or taken by the next deposit, never both and never neither.
    const next = takerOf(laneLedger([ended], 9).broughtRaw + amountRaw)
    const isTaken = includedResidue(next, BigInt(next.facts.spent!.amountRaw), [ended]).includes(ended.id)
    expect([isUnspent(ended), isTaken]).toEqual([isThere && !isTaken, isThere && !isUnspent(ended)])
    expect(isResidue(ended)).toBe(isTaken)
    expect(isOver(ended)).toBe(!isUnspent(ended))

    const after = isTaken ? { ...ended, takenBy: next.id } : ended
    expect(successorOf(after)?.id ?? null).toBe(isTaken ? next.id : null)
    expect(holdingOf(after).holder === 'DEPOSIT_ACCOUNT').toBe(isThere && !isTaken)
  },
)

test('each final status needs a person unless the table gives a reason', () => {
  const alone = terminalStatuses.filter((status) => !statuses[status].needsPerson)
  expect(alone).toEqual(['SUCCESS', 'FAILED_NO_FUNDS', 'FAILED_INSUFFICIENT_AFTER_FEES'])
  for (const status of alone) expect(statuses[status].leftOnDeletion).toBe(false)
})

test('the columns of the table name states and events of the machine', () => {
  const { transitions } = lifecycle(retry)
  const events = new Set<string>(transitions.map(({ event }) => event))
  for (const status of statusNames) {
    const { drawnBeside, sampleAfter } = statuses[status]
    if (drawnBeside !== null) expect(stateNames as readonly string[]).toContain(drawnBeside)
    if (sampleAfter !== null) expect([...events]).toContain(sampleAfter)
    const isReached = errorCodes.some((code) => errorRow(code).endsIn === status)
    expect(sampleAfter !== null, status).toBe(isReached)
  }
})

test('each status has a name and a description, and is active until its money is somewhere', () => {
  for (const status of statusNames) {
    const { name, description, kind, money, retryable, tone, logLevel, needsPerson } = statuses[status]
    expect(name).toMatch(/^[A-Z][a-z ]+$/)
    expect(description).toMatch(/^[A-Z].*\.$/)
    expect([status, money === null]).toEqual([status, kind === 'active'])
    expect(retryable).toBe(status === 'FAILED' ? true : kind === 'active' ? null : false)
    expect(['info', 'success', 'warning', 'danger']).toContain(tone)
    expect([status, logLevel]).toEqual([status, needsPerson || status === 'FAILED_NO_FUNDS' ? 'warn' : 'info'])
  }
})

test('statuses are listed by what becomes of the money, and by who must act', () => {
  const left = ['DEAD_LETTER', 'FAILED_UNROUTABLE_MAIN', 'FAILED_INVALID_INPUT', 'QUOTA_EXCEEDED'] as const
  expect(leftBehindStatuses).toEqual([...left])
  expect(attentionStatuses.toSorted()).toEqual((['TOKEN_BLACKLISTED', ...left] as const).toSorted())
  expect(residueStatuses.toSorted()).toEqual((['FAILED_INSUFFICIENT_AFTER_FEES', ...left] as const).toSorted())
})
