/** A mutant that no test can kill, because the program does the same with it. */
export type Equivalent = {
  path: string
  /** The whole first line of the change, without its indentation. */
  line: string
  from: string
  to: string
  /** Which of several equal changes of the line, counted from 1. The first is the default. */
  nth?: number
  why: string
}

export const equivalents: readonly Equivalent[] = [
  {
    path: 'src/domain/money/fees.ts',
    line: 'return (numerator + denominator - 1n) / denominator',
    from: '1n',
    to: '2n',
    why: 'Numerator and denominator are even, so no division leaves a remainder of 1.',
  },
  {
    path: 'machines/execution.ts',
    line: "return left.startsWith('-') ? -1n : amountOf(left)",
    from: '1n',
    to: '2n',
    why: 'Only the sign of the amount is read.',
  },
  {
    path: 'machines/execution.ts',
    line: "id: 'execution',",
    from: "'execution'",
    to: "''",
    why: 'No transition names the machine by its id.',
  },
  ...["id: '',", "sessionId: '',"].map((line) => ({
    ...{ path: 'machines/execution.ts', line, from: "''", to: "'mutated'" },
    why: 'XState asks the scope for a name, and this machine sends nothing that would show it.',
  })),
  {
    path: 'machines/execution.ts',
    line: 'const resolved = snapshots.get(state) ?? executionMachine.resolveState({ value: state, context: {} as Execution })',
    from: 'snapshots.get(state) ?? executionMachine.resolveState({ value: state, context: {} as Execution })',
    to: 'executionMachine.resolveState({ value: state, context: {} as Execution })',
    why: 'The map only saves time.',
  },
  {
    path: 'machines/execution.ts',
    line: 'snapshots.set(state, resolved)',
    from: 'snapshots.set(state, resolved)',
    to: ';',
    why: 'The map only saves time.',
  },
  {
    path: 'src/domain/money/gas.ts',
    line: 'const sorted = prices.map(({ weiPerGas }) => BigInt(weiPerGas)).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))',
    from: '<',
    to: '<=',
    why: 'Equal numbers have no order.',
  },
  {
    path: 'src/domain/money/gas.ts',
    line: 'let [from, to] = [0, 0]',
    from: '0',
    to: '1',
    nth: 2,
    why: 'The first measurement is near itself, so the loop passes 1 at once.',
  },
  {
    path: 'src/domain/money/statement.ts',
    line: 'if (record.redriveOf === null && record.redrivenBy === null) {',
    from: 'record.redriveOf === null && record.redrivenBy === null',
    to: 'false',
    why: 'A deposit without re-drives only waits in memory.',
  },
  ...(
    [
      ['<', '<=', 1],
      ['1', '2', 1],
      ['1', '2', 2],
    ] as const
  ).map(([from, to, nth]) => ({
    ...{ path: 'src/domain/money/statement.ts', from, to, nth },
    line: 'const byName = (one: [string, StatementRow], other: [string, StatementRow]) => (one[0] < other[0] ? -1 : 1)',
    why: 'No two rows have one name, and a sort only reads the sign.',
  })),
  {
    path: 'src/events/appender.ts',
    line: 'if (fresh.length > 0) await takeAll(collection, fresh)',
    from: '>',
    to: '>=',
    why: 'Without a mark, nothing is read and nothing is appended.',
  },
  {
    path: 'src/events/tail.ts',
    line: 'const first = loggedEvents.length === 0 ? end! + 1 : loggedEvents[0]!.position',
    from: '+',
    to: '-',
    why: 'Without events in memory, no index finds one.',
  },
  ...(['delivery', 'spent'] as const).map((fact) => ({
    path: 'src/routing/steps/confirm-delivery.ts',
    line: `const ${fact} = 'facts' in outcome ? outcome.facts?.${fact} : undefined`,
    from: `'facts' in outcome ? outcome.facts?.${fact} : undefined`,
    to: `(outcome.facts?.${fact})`,
    why: 'An outcome without facts has no such fact to read either.',
  })),
  {
    path: 'src/domain/money/worth.ts',
    line: 'amountIn: gasFee > 0n ? gasFee - 1n : 0n,',
    from: '0n',
    to: '1n',
    why: 'A fee of one unit, less one unit, is 0 in both branches.',
  },
]

/** Declarations without mutants. */
export const leftOut: readonly { path: string; name: string; why: string }[] = [
  'src/domain/chain/chain.ts',
  'src/domain/money/token.ts',
  'src/domain/money/price-feeds.ts',
].map((path) => ({
  ...{ path, name: 'testnet' },
  why: 'Only a process of the test networks reads it. test/deploying/networks.test.ts starts one and compares the facts.',
}))
