import { expect, test } from 'bun:test'
import { built, deferred, deferring } from '../../src/domain/deferred'
import { type, view } from '../../src/domain/schema'

const counted = () => {
  const builds: string[] = []
  const schemaOf = (name: string) =>
    deferred(() => {
      builds.push(name)
      return { name, or: (other: { name: string }) => ({ name: `${name} or ${other.name}` }) }
    }) as { name: string; or: (other: unknown) => { name: string } }
  return { builds, schemaOf }
}

test('a schema is built on its first use, once', () => {
  const { builds, schemaOf } = counted()
  const schema = schemaOf('hash')
  expect('~standard' in schema).toBe(true)
  expect(builds).toEqual([])
  expect([schema.name, schema.name]).toEqual(['hash', 'hash'])
  expect(builds).toEqual(['hash'])
})

test('a schema derived from others is built with them, on its first use', () => {
  const { builds, schemaOf } = counted()
  const either = schemaOf('hash').or(schemaOf('address'))
  expect(builds).toEqual([])
  expect(either.name).toBe('hash or address')
  expect(builds).toEqual(['hash', 'address'])
})

test('a definition holds schemas at every depth', () => {
  const { builds, schemaOf } = counted()
  const definitions: unknown[] = []
  const build = deferring((definition: object) => {
    definitions.push(definition)
    return { isBuilt: true }
  }) as unknown as (definition: object) => { isBuilt: boolean }
  const pattern = /a/
  const schema = build({ hash: schemaOf('hash'), list: [[schemaOf('address')], '[]'], pattern })
  expect(builds).toEqual([])
  expect(schema.isBuilt).toBe(true)
  expect(builds).toEqual(['hash', 'address'])
  expect(definitions).toMatchObject([{ hash: { name: 'hash' }, list: [[{ name: 'address' }], '[]'], pattern }])
})

test('a deferred schema validates, states its types and converts as ArkType’s own do', () => {
  const Id = type(/^[a-z]+$/)
  const Item = type({ id: Id, 'note?': type('string').or('null'), size: type('number').default(3) })
  expect(Item({ id: 'abc', other: 1 })).toEqual({ id: 'abc', size: 3 })
  expect(Item({ id: 'ABC' })).toBeInstanceOf(type.errors)
  expect(Item['~standard'].validate({ id: 'ABC' })).toHaveProperty('issues')
  const Items = view({ items: view({ id: Id }).array() })
  expect(Items.toJsonSchema()).toMatchObject({
    properties: { items: { type: 'array', items: { properties: { id: { pattern: '^[a-z]+$' } }, required: ['id'] } } },
  })
  expect(built(Items)).not.toBe(Items)
})
