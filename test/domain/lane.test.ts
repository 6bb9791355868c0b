import { expect, test } from 'bun:test'
import { laneLedger } from '../../src/domain/execution/lane'

test('a lane’s ledger sums what was spent from its lowest block on, in any order of records', () => {
  const record = (n: number, block: number) => ({
    id: `${n}`,
    state: 'SUCCESS' as const,
    redriveOf: null,
    deposit: { block: 1, amountRaw: '5', txHash: null },
    facts: { spent: { block, amountRaw: `${n}` } },
  })
  expect(laneLedger([record(2, 20), record(1, 12)], 20).spends).toEqual([
    { block: 12, amountRaw: 1n },
    { block: 20, amountRaw: 2n },
  ])
})
