import { expect, test } from 'bun:test'
import { type } from '../../src/domain/schema'
import { testAll } from '../support/test-all'

test('nested schemas behave as in plain ArkType', () => {
  const Name = type(/^[a-z]+$/).describe('a name')
  const Row = type({ name: Name, count: type('string.integer.parse').default('3'), 'kind?': type.enumerated('a', 'b') })
  const Rows = type({ rows: Row.array().atMostLength(2), note: Name.or('null') })
  expect(Rows({ rows: [{ name: 'x' }], note: null })).toEqual({ rows: [{ name: 'x', count: 3 }], note: null } as never)
  const refused = Rows({ rows: [{ name: 'X' }], note: null })
  expect(refused).toBeInstanceOf(type.errors)
  expect(String(refused)).toContain('a name')
  expect(Row.partial()({})).not.toBeInstanceOf(type.errors)
  expect(Object.keys(Rows.in.toJsonSchema({ fallback: (found) => found.base }))).toContain('properties')
  expect('~standard' in Rows && Rows['~standard'].version).toBe(1)
})

testAll([
  ['as it is called', (schema: object, sent: unknown) => (schema as unknown as (sent: unknown) => unknown)(sent)],
  [
    'as a validator of requests',
    (schema: object, sent: unknown) =>
      (schema as { '~standard': { validate(sent: unknown): { value: unknown } } })['~standard'].validate(sent).value,
  ],
])(
  'fields that a schema does not name are removed at every depth, by a call and by a request validator',
  (_form, read) => {
    const Row = type({ name: 'string' })
    const Whole = type({ row: Row, rows: Row.array(), 'none?': Row.or('null'), more: { '...': Row, count: 'number' } })
    const hidden = '"id":"x","__proto__":{"isAdmin":true},"constructor":{"prototype":{"a":1}},"$gt":"","row.name":1'
    const row = `{"name":"a",${hidden}}`
    const sent = JSON.parse(
      `{"row":${row},"rows":[${row}],"none":${row},"more":{"name":"a","count":1,${hidden}},${hidden}}`,
    )
    const kept = { name: 'a' }
    const expected = { row: kept, rows: [kept], none: kept, more: { name: 'a', count: 1 } }
    expect(JSON.stringify(read(Whole, sent))).toBe(JSON.stringify(expected))
    expect(JSON.stringify(read(Whole.partial(), sent))).toBe(JSON.stringify(expected))
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  },
)

test('the parsed value is a copy that inherits nothing from the input, which stays unchanged', () => {
  const Row = type({ name: 'string', count: type('string.integer.parse') })
  const Read = type({ rows: Row.array(), open: type({ '[string]': 'unknown' }) })
  const text = '{"rows":[{"name":"a","count":"3","id":1}],"open":{"a":[1],"__proto__":{"isAdmin":true}},"id":2}'
  const sent = JSON.parse(text)
  const read = Read.assert(sent)
  expect(JSON.stringify(sent)).toBe(text)
  expect(read).toEqual({ rows: [{ name: 'a', count: 3 }], open: { a: [1] } })
  expect((read.open as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  expect(read.open['a']).not.toBe(sent.open.a)
  class Query {
    name = 'a'
    id = 1
  }
  const query = new Query()
  expect({ ...type({ name: 'string' }).assert(query) } as object).toEqual({ name: 'a' })
  expect(query.id).toBe(1)
})
