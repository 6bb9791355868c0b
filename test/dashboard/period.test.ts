import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { createElement } from 'react'
import { partsOf, pieceChars, piecesOf, rowsIn } from '../../src/dashboard/lists/export-list'
import { flatExecution, flatRow } from '../../src/dashboard/lists/flat-row'
import { isWithin, periodOf } from '../../src/dashboard/lists/period'
import { ListView } from '../../src/dashboard/ui/list-view'
import { pageMarkup } from '../support/page-markup'
import { testAll } from '../support/test-all'

const now = Date.parse('2026-01-15T10:20:30.500Z')

testAll<[query: string, from: string | undefined, to: string | undefined]>([
  ['', undefined, undefined],
  ['time=hour', '2026-01-15T09:20:00.000Z', undefined],
  ['time=week', '2026-01-08T10:20:00.000Z', undefined],
  ['time=month', '2026-01-01T00:00:00.000Z', undefined],
  ['time=last-month', '2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ['time=days', undefined, undefined],
  ['time=days&since=2025-11-01&until=2025-11-30', '2025-11-01T00:00:00.000Z', '2025-12-01T00:00:00.000Z'],
  ['time=days&until=2025-11-30', undefined, '2025-12-01T00:00:00.000Z'],
  ['time=days&since=yesterday&until=2025-13-45', undefined, undefined],
  ['since=2025-11-01', undefined, undefined],
])('a period of a list is a span, a month or chosen days, whose last day belongs to it', (query, from, to) => {
  const period = periodOf(new URLSearchParams(query), now)
  expect([period.createdFrom, period.createdTo]).toEqual([from, to])
  if (to)
    expect([isWithin(to, period), isWithin(new Date(Date.parse(to) - 1).toISOString(), period)]).toEqual([false, true])
})

type Row = { id: number; text: string }
async function exported(format: 'csv' | 'json', pages: Row[][]): Promise<{ text: string; counts: number[] }> {
  const counts: number[] = []
  // The first meaning of the search has no rows.
  async function* read(address: string) {
    yield* address === 'none' ? [] : pages
  }
  const list = {
    addresses: ['none', 'some', 'other'],
    format,
    flat: (row: Row) => ({ ...row }),
    onRows: (count: number) => counts.push(count),
    signal: new AbortController().signal,
  }
  let text = ''
  for await (const part of partsOf<Row>(list, read)) text += part
  return { text, counts }
}

test('an export has every row of every page, whatever their number', async () => {
  const pages = Array.from({ length: 120 }, (_, page) =>
    Array.from({ length: 100 }, (__, n) => ({ id: page * 100 + n, text: 'a, "b"' })),
  )
  const rows = pages.flat()
  const json = await exported('json', pages)
  expect(JSON.parse(json.text)).toEqual(rows)
  expect([json.counts[0], json.counts.at(-1)]).toEqual([100, 12_000])
  const lines = (await exported('csv', pages)).text.split('\r\n')
  expect([lines[0], lines[1], lines.length]).toEqual(['id,text', '0,"a, ""b"""', 12_001])
  expect([JSON.parse((await exported('json', [])).text), (await exported('csv', [])).text]).toEqual([[], ''])
})

const rowsOf = async (chunks: readonly string[]): Promise<Row[]> => {
  async function* sent() {
    yield* chunks
  }
  return (await Array.fromAsync(rowsIn<Row>(sent()))).flat()
}

test('the rows of an export are read from parts of any size', async () => {
  const rows = Array.from({ length: 9 }, (_, id) => ({ id, text: 'über\n' }))
  const sent = [...rows, { rowCount: 9 }].map((row) => `${JSON.stringify(row)}\n`).join('')
  for (const size of [1, 7, 1_000]) expect(await rowsOf(sent.match(new RegExp(`[^]{1,${size}}`, 'g'))!)).toEqual(rows)
  expect(await rowsOf(['{"rowCount":0}\n'])).toEqual([])
})

test('an export that breaks off, or lacks a row, is no file', async () => {
  const row = '{"id":1}\n'
  for (const sent of [[], [row], [row, '{"rowCount":1}'], [row, '{"rowCount":2}\n']])
    expect(rowsOf(sent)).rejects.toThrow(/^The export broke off after [01] rows, so nothing was saved/)
})

test('a long export is put into pieces while it is read, so the page’s memory does not hold it', async () => {
  const parts = Array.from({ length: 500 }, (_, n) => `${n}`.padStart(10_000))
  async function* read() {
    yield* parts
  }
  const pieces = await piecesOf(read())
  expect(Math.max(...pieces.map(({ size }) => size))).toBeLessThanOrEqual(pieceChars)
  expect(await new Blob(pieces).text()).toBe(parts.join(''))
})

test('an exported amount is in tokens as well, exact and without separators', () => {
  const funds = { amount: '1', tokenDecimals: 18, tokenSymbol: 'WETH', holder: 'RECIPIENT' }
  const row = { amountIn: '1234567000001', fromTokenDecimals: 6, next: {}, funds }
  expect(flatRow(row as never)).toMatchObject({ amountInTokens: '1234567.000001', fundsTokens: '0.000000000000000001' })
  expect(flatExecution({ ...row, protocolFee: '125000', gasFee: null } as never)).toMatchObject({
    ...{ protocolFee: '125000', protocolFeeTokens: '0.125', gasFee: null, gasFeeTokens: '' },
  })
})

test('every list that is filtered by time takes a range and is sorted by age', async () => {
  const files = [...new Glob('src/dashboard/pages/**/*.tsx').scanSync('.')]
  const texts = await Promise.all(files.map(async (path) => ({ path, text: await Bun.file(path).text() })))
  const ownSpans = texts.filter(({ text }) => /name="time"|put\('time'/.test(text)).map(({ path }) => path)
  const having = (part: string) =>
    texts.filter(({ text }) => text.includes(part)).map(({ path }) => path.split('/').at(-1)!)
  const lists = having('<PeriodFilter')
  expect(having('<OrderFilter').toSorted()).toEqual(lists.toSorted())
  expect([ownSpans, lists.toSorted()]).toEqual([
    [],
    ['audit.tsx', 'deliveries.tsx', 'deposits.tsx', 'execution-filters.tsx'],
  ])
  // The filters of executions have their own file. Members and the newest requests of a key are in one order.
  const others = having('<ListView').filter((name) => !having('isOrdered').includes(name) && !lists.includes(name))
  expect(others.toSorted()).toEqual(['executions.tsx', 'key-requests.tsx', 'members.tsx'])
})

test('a whole list is turned round on request, and a list of one row offers no order', () => {
  const rowsOf = (names: string[], search: string) => {
    const list = { data: names, error: null, isPending: false, isFetching: false, dataUpdatedAt: 1 }
    const row = (name: string) => createElement('tr', { key: name }, createElement('td', null, name))
    const props = { list: { ...list, refetch: async () => {} }, heads: ['Name'], label: 'Names', isOrdered: true }
    const markup = pageMarkup(createElement(ListView<string>, props as never, row as never), { search })
    return { names: [...markup.matchAll(/<td>(\w+)<\/td>/g)].map(([, name]) => name), offers: markup.includes('Order') }
  }
  expect(rowsOf(['new', 'old'], '')).toEqual({ names: ['new', 'old'], offers: true })
  expect(rowsOf(['new', 'old'], 'order=oldest')).toEqual({ names: ['old', 'new'], offers: true })
  expect(rowsOf(['new'], '')).toEqual({ names: ['new'], offers: false })
})
