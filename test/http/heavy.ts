import fc from 'fast-check'

const full = 64 * 1024
const filledTo = (length: number, unit: string): string => unit.repeat(Math.floor(length / unit.length))
const listOf = (unit: string): string => `[${filledTo(full - 64, `${unit},`)}${unit}]`
const fieldsOf = (name: (n: number) => string): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [name(n), n])))

/** Bodies at or slightly above the size limit, in forms that are expensive for parsers, patterns and validators. */
export const heavyBodies = fc.constantFrom(
  JSON.stringify({ userId: 'x'.repeat(full - 64) }),
  JSON.stringify({ userId: filledTo(full - 64, '\u{1f600}') }),
  `{"userId":"${filledTo(full - 64, '\\u0000')}"}`,
  `{"amountInAtomic":"${'9'.repeat(full - 64)}"}`,
  `{"targetAddress":"0x${'a'.repeat(full - 64)}"}`,
  `{"targetChainId":${'9'.repeat(full - 64)}}`,
  `{"targetChainId":1e${'9'.repeat(full - 64)}}`,
  `{"label":"${' '.repeat(full - 64)}x"}`,
  `{"userId":"x"${' '.repeat(full - 64)}}`,
  `{"filter":${listOf('{}')}}`,
  `{"types":${listOf('"a"')}}`,
  listOf('[]'),
  listOf('0'),
  fieldsOf((n) => `field${n}`),
  fieldsOf((n) => `__proto__${n}`),
  `{${filledTo(full - 64, '"userId":"a",')}"userId":"b"}`,
  '['.repeat(full),
  '{"a":'.repeat(full / 5),
  '[{"a":'.repeat(30) + filledTo(full / 2, ' '),
  `"${'\\'.repeat(full - 2)}"`,
  '"'.repeat(full),
  'x'.repeat(full + 1),
  'x'.repeat(2 * 1024 * 1024),
)

/** Values that fill a URL to its limits. */
export const heavyQueries = fc.constantFrom<[string, string][]>(
  [['userId', 'x'.repeat(7_000)]],
  [['cursor', filledTo(7_000, 'ey')]],
  [['cursor', '='.repeat(7_000)]],
  [['status', filledTo(7_000, 'SUCCESS,')]],
  [['types', filledTo(7_000, 'execution.*,')]],
  [['txHash', `0x${'0'.repeat(7_000)}`]],
  [['limit', '0'.repeat(7_000)]],
  [['createdFrom', `2026-11-21T10:00:00.${'0'.repeat(7_000)}Z`]],
  Array.from({ length: 500 }, (_, n): [string, string] => [`p${n}`, '1']),
  Array.from({ length: 500 }, (): [string, string] => ['userId', 'user-1']),
)
