import { expect, test } from 'bun:test'
import type { Execution } from '../../src/domain/execution/execution'
import {
  broughtBy,
  emptySum,
  firstOf,
  hasDelivered,
  idsThatFit,
  includedResidue,
  isCircling,
  isResidue,
  laneId,
  laneLedger,
  lineBefore,
  maySumUp,
  successorOf,
  summedUp,
  supersedings,
} from '../../src/domain/execution/lane'
import { addressOf, executionOf, hashOf } from '../support/deposits'
import { testAll } from '../support/test-all'

test('a lane is one account, chain and token, however they are written', () => {
  expect(laneId('0xAB', 8453, '0xCD')).toBe('0xab:8453:0xcd')
})

test('a re-drive is named by its deposit and its number, after all before it', () => {
  expect(['d', 'd:r1', 'd:r12'].map(firstOf)).toEqual(['d', 'd', 'd'])
  expect(lineBefore('d')).toEqual([])
  expect(lineBefore('d:r1')).toEqual(['d'])
  expect(lineBefore('d:r3')).toEqual(['d', 'd:r1', 'd:r2'])
})

type Change = Partial<Omit<Execution, 'deposit' | 'facts'>> & {
  block?: number
  amountRaw?: string
  txHash?: null
  facts?: object
}
/** A record of the lane, at block 5 with 100. */
const record = (n: number, { block = 5, amountRaw = '100', txHash, ...changed }: Change = {}): Execution => {
  const deposit = { block, amountRaw, ...(txHash === null && { txHash, logIndex: null }) }
  return executionOf(n, { id: `${n}`, state: 'SUCCESS', completedAt: 50, ...changed } as never, deposit)
}
const spentAt = (block: number, amountRaw = '100') => ({ facts: { spent: { block, amountRaw } } })

test('a deposit and its re-drives brought the same money once, and nothing if it never came', () => {
  const [first, again] = [record(1), record(1, { id: '1:r1', amountRaw: '90', redriveOf: '1' })]
  expect([broughtBy([]), broughtBy([first, again]), broughtBy([again, first]), broughtBy([again])]).toEqual([
    ...[0n, 100n, 100n, 90n],
  ])
  const never = record(1, { state: 'FAILED_NO_FUNDS' })
  expect([broughtBy([never]), broughtBy([never, again])]).toEqual([0n, 90n])
  expect(laneLedger([first, again, record(2)], 9).broughtRaw).toBe(200n)
})

test('a ledger at a block contains the deposits and departures up to it', () => {
  const records = [record(1, spentAt(7, '40')), record(2, { block: 8, txHash: null }), record(3, spentAt(6, '30'))]
  expect(laneLedger(records, 8)).toEqual({
    ...{ broughtRaw: 300n, spentRaw: 70n, finds: 1, lastBlock: 8 },
    spends: [
      { block: 6, amountRaw: 30n },
      { block: 7, amountRaw: 40n },
    ],
  })
  expect(laneLedger(records, 7)).toMatchObject({ broughtRaw: 200n, spentRaw: 70n, finds: 0, lastBlock: 7 })
  expect(laneLedger(records, 6)).toMatchObject({ spentRaw: 30n, lastBlock: 6 })
  expect(laneLedger(records, 4)).toMatchObject({ broughtRaw: 0n, spentRaw: 0n, lastBlock: 0 })
})

test('a re-drive newer than the block is no deposit of its own, and a measurement at the block waits for it', () => {
  const again = record(1, { id: '1:r1', redriveOf: '1', block: 9, txHash: null })
  expect(laneLedger([record(1), again], 6)).toMatchObject({ broughtRaw: 100n, finds: 0, lastBlock: 9 })
})

test('what records summed up is part of the ledger, without what a re-drive of theirs brought again', () => {
  const sum = { records: 3, broughtRaw: 500n, spentRaw: 300n, finds: 2, lastBlock: 4 }
  const again = record(1, { id: '1:r1', redriveOf: '1', amountRaw: '90', block: 6 })
  const book = laneLedger([again, record(2, spentAt(7, '20'))], 9, { sum, firsts: [record(1, { amountRaw: '80' })] })
  expect(book).toEqual({
    ...{ broughtRaw: 500n + 10n + 100n, spentRaw: 320n, summedTo: 4, finds: 2, lastBlock: 7 },
    spends: [
      { block: 4, amountRaw: 300n },
      { block: 7, amountRaw: 20n },
    ],
  })
  expect(laneLedger([], 9, { sum, firsts: [] }).lastBlock).toBe(4)
})

test('ended records are added to a sum with all that they brought and spent', () => {
  const once = summedUp(emptySum, [record(1, spentAt(9, '30')), record(2, { block: 7, txHash: null })])
  expect(once).toEqual({ records: 2, broughtRaw: 200n, spentRaw: 30n, finds: 1, lastBlock: 9 })
  expect(summedUp(once, [record(3, { state: 'FAILED_NO_FUNDS' })])).toEqual({ ...once, records: 3 })
  expect(summedUp(once, [record(3, { block: 11 })])).toMatchObject({ broughtRaw: 300n, lastBlock: 11 })
})

const left = { state: 'DEAD_LETTER' } as const

test('money is left over if it ended in the account, has not left, and no other record has it', () => {
  expect(isResidue(record(1, left))).toBe(true)
  expect(isResidue(record(1))).toBe(false)
  expect(isResidue(record(1, { ...left, ...spentAt(6) }))).toBe(false)
  for (const field of Object.keys(supersedings)) expect(isResidue(record(1, { ...left, [field]: 'x' }))).toBe(false)
})

test('a record enters the sum once nothing of it is open', () => {
  expect([maySumUp(record(1)), maySumUp(record(1, left))]).toEqual([true, false])
  expect(maySumUp(record(1, { ...left, redrivenBy: 'x' }))).toBe(true)
  expect(maySumUp(record(1, { redriveOf: '0' }))).toBe(false)
  const causedBy = (code: string) => ({ cause: { code } }) as never
  expect(maySumUp(record(1, { ...left, redrivenBy: 'x', ...(causedBy('FUNDS_RETURNED') as object) }))).toBe(false)
  const circling = ['RETURNED_TOO_OFTEN', 'PASSED_ON_TOO_OFTEN', 'FUNDS_RETURNED'].map((code) =>
    isCircling(causedBy(code)),
  )
  expect([...circling, isCircling({ cause: null })]).toEqual([true, true, false, false])
})

test('the first of three reasons names the successor, and no record names none', () => {
  expect(successorOf({ redrivenBy: null, continuedBy: null })).toBeNull()
  expect(successorOf({ takenBy: 'c' })).toEqual({ id: 'c', by: 'takenBy' })
  expect(successorOf({ takenBy: 'c', continuedBy: 'b' })).toEqual({ id: 'b', by: 'continuedBy' })
  expect(successorOf({ takenBy: 'c', continuedBy: 'b', redrivenBy: 'a' })).toEqual({ id: 'a', by: 'redrivenBy' })
  expect(Object.values(supersedings).map(({ event }) => event)).toEqual(['re-driven', 'funds returned', 'taken along'])
  for (const { message } of Object.values(supersedings)) expect(message).toMatch(/^Superseded: .* \{id\}\.$/)
})

const amounts = (...all: string[]) => all.map((amountRaw, n) => ({ id: `${n}`, deposit: { amountRaw }, facts: {} }))

test('leftovers fit in their order while the balance lasts, and rounding may be missing', () => {
  expect(idsThatFit(amounts('60', '50', '40'), 100n)).toEqual(['0', '2'])
  expect([idsThatFit(amounts('60'), 60n), idsThatFit(amounts('60'), 59n), idsThatFit([], 0n)]).toEqual([['0'], [], []])
  const large = '1000000000000'
  expect(idsThatFit(amounts(large, '1'), BigInt(large) - 1n)).toEqual(['0'])
  expect(idsThatFit(amounts(large, '1'), BigInt(large) + 1n)).toEqual(['0', '1'])
})

test('a deposit took along what had ended in its account before its balance was verified, in that order', () => {
  const verified = { seq: 2, at: 60, event: 'balance verified', from: 'a', to: 'b', status: null, note: null }
  const taker = record(9, {
    block: 20,
    state: 'RUNNING',
    completedAt: null,
    facts: { balance: { totalReceivedRaw: '999', block: 10 } },
  })
  const withEntry = { ...taker, history: [...taker.history, verified] }
  const ended = (n: number, changed: Change = {}) => record(n, { ...left, ...changed })
  const taken = (records: Execution[], spentRaw = 300n, by = withEntry) => includedResidue(by, spentRaw, records)
  expect(taken([ended(1), ended(2, { completedAt: 40 })])).toEqual(['2', '1'])
  expect(taken([ended(1), ended(2)], 200n)).toEqual(['1'])
  expect(taken([ended(1, { block: 10 }), ended(2, { block: 11 })])).toEqual(['1'])
  expect(taken([ended(1, { completedAt: 60 }), ended(2, { completedAt: 61 })])).toEqual(['1'])
  expect(taken([ended(9), ended(1, { redrivenBy: 'x' }), record(2)])).toEqual([])
  expect(taken([ended(1), ended(2)], 300n, { ...withEntry, redriveOf: '1' })).toEqual(['2'])
  expect(taken([ended(1, { completedAt: 61 })], 300n, taker)).toEqual(['1'])
})

const brought = (changed: object = {}) => ({
  ...{ txHash: hashOf(7), fromAddress: addressOf(1), block: 10, amountRaw: '100', detectedAt: 5_000_000 },
  ...changed,
})
const swept = { txHash: null, fromAddress: addressOf(1), paidIn: [hashOf(7), hashOf(8)] }
const sent = (n: number) => ({ hash: hashOf(n) })
const sender = (facts: object, completedAt: number | null = null) => executionOf(1, { facts, completedAt } as never)
const hourMs = 60 * 60_000

testAll<[facts: object]>([
  [{ transactions: [sent(6), sent(7)] }],
  [{ dropped: [sent(7)] }],
  [{ mint: { transactions: [sent(7)] } }],
  [{ spent: sent(7) }],
  [{ delivery: { ...sent(7), block: 99, amountRaw: '999' } }],
])('any transaction of an execution that brought a deposit proves that it delivered it', (facts) => {
  expect(hasDelivered(sender(facts), brought())).toBe('YES')
  expect(hasDelivered(sender(facts), brought(swept))).toBe('YES')
  expect(hasDelivered(sender(facts), brought({ txHash: hashOf(9) }))).toBe('NO')
})

test('a deposit whose transactions are not all known is a delivery of no more, in its block or before, within an hour', () => {
  const delivery = { ...sent(6), block: 10, amountRaw: '100' }
  const found = (changed: object = {}, of: object = {}, completedAt: number | null = 5_000_000) =>
    hasDelivered(
      sender({ delivery: { ...delivery, ...of } }, completedAt),
      brought({ ...swept, paidIn: [], ...changed }),
    )
  expect([found(), found({}, { block: 11 }), found({}, { amountRaw: '101' }), found({ block: 9 })]).toEqual([
    ...(['YES', 'NO', 'NO', 'NO'] as const),
  ])
  const off = (ms: number) => found({}, {}, 5_000_000 + ms)
  expect([off(hourMs), off(-hourMs), off(hourMs + 1), off(-hourMs - 1), found({}, {}, null)]).toEqual([
    ...(['YES', 'YES', 'NO', 'NO', 'YES'] as const),
  ])
  // All of its transactions are known only with one sender and fewer than a hundred of them.
  expect(found({ paidIn: [hashOf(8)] })).toBe('NO')
  expect(found({ paidIn: [hashOf(8)], fromAddress: null })).toBe('YES')
  const paidIn = (count: number) => ({ paidIn: Array.from({ length: count }, (_, n) => hashOf(n + 50)) })
  expect([found(paidIn(99)), found(paidIn(100))]).toEqual(['NO', 'YES'])
})

test('money on its way may be a deposit of about the expected amount', () => {
  const facts = { order: {}, route: { amountOutMin: '90', amountOutExpected: '100' } }
  const may = (amountRaw: string, of: object = facts, completedAt: number | null = null) =>
    hasDelivered(sender(of, completedAt), brought({ amountRaw }))
  expect(['89', '90', '110', '111'].map((amount) => may(amount))).toEqual(['NO', 'MAYBE', 'MAYBE', 'NO'])
  expect([may('100', facts, 1), may('100', { route: facts.route }), may('100', { order: {} })]).toEqual([
    'NO',
    'NO',
    'NO',
  ])
  expect(may('100', { ...facts, delivery: { ...sent(6), block: 1, amountRaw: '1' } })).toBe('NO')
})
