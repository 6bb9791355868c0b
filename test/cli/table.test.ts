import { expect, test } from 'bun:test'
import { table } from '../../src/cli/terminal/table'

test('number columns are right-aligned, others left-aligned, and no line ends in spaces', () =>
  expect(
    table(
      ['name', 'amount', ''],
      [
        ['alice', '5 USDC', ''],
        ['bob', '1234 USDC', 'late'],
      ],
    ),
  ).toBe(['name      amount', '─────  ─────────  ────', 'alice     5 USDC', 'bob    1234 USDC  late'].join('\n')))
