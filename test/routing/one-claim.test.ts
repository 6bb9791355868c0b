import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { successorOf } from '../../src/domain/execution/lane'
import { bridge, claimsWorld, fates, type Move, otherToken, recipients, tokens } from '../support/claims-world'
import { account } from '../support/deposits'

const aMove: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('deposit' as const),
      token: fc.nat({ max: 1 }),
      amount: fc.integer({ min: 10, max: 9_999 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constantFrom('redrive' as const, 'refund' as const, 'dead-letter' as const, 'retry' as const),
      which: fc.nat({ max: 20 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ what: 'wait' as const }) },
)

test('exactly one record claims every unit, where the chain has it, after any deposits and operator actions', async () => {
  const ends = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(
      fc.array(aMove, { minLength: 1, maxLength: 14 }),
      fc.array(fc.constantFrom(...fates), { minLength: 1, maxLength: 40 }),
      async (moves, ways) => {
        const { act, executions, has, claimed, bugs } = claimsWorld((attempt) => ways[attempt % ways.length]!)
        for (const made of moves) {
          await act(made)
          expect(bugs).toEqual([])
          for (const token of tokens) {
            expect(claimed('DEPOSIT_ACCOUNT', token), 'in the account').toBe(has(account, token))
            expect(claimed('PROVIDER', token), 'with the bridge').toBe(has(bridge, token))
          }
          for (const token of [...tokens, otherToken])
            expect(claimed('RECIPIENT', token), 'delivered').toBe(has(recipients, token))
          const all = new Set(executions.all().map(({ id }) => id))
          for (const record of executions.all()) {
            const successor = successorOf(record)
            if (successor) expect(all.has(successor.id), 'leads somewhere').toBe(true)
            const end = successor?.by ?? record.status ?? record.state
            ends.set(end, (ends.get(end) ?? 0) + 1)
          }
        }
      },
    ),
    { numRuns: 150 },
  )
  for (const end of ['redrivenBy', 'continuedBy', 'takenBy', 'SUCCESS', 'DEAD_LETTER', 'FAILED', 'RUNNING'])
    expect(ends.get(end) ?? 0, end).toBeGreaterThan(0)
})
