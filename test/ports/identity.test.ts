import { describe, expect, test } from 'bun:test'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { type CollectionName, type Identity, IllegalChange, identities } from '../../src/domain/record-identity'
import type { Records } from '../../src/ports/records'
import { executionOf } from '../support/deposits'
import { recordsOf } from '../support/records'
import { testConnection } from '../support/stores-in-mongo'
import { testAll } from '../support/test-all'

type Fields = Record<string, unknown>
type Any = Fields & { id: string; version: number }
type Opened = { records: Records<Any>; other: Records<Any> }

const names = Object.keys(identities) as CollectionName[]
let made = 0

/** A record with every field of its model. */
async function recordOf(name: CollectionName): Promise<Any> {
  const id = `${name}-${++made}`
  if (name === 'executions') return { ...(executionOf(made) as unknown as Any), id, facts: { intent: {} } }
  const { schema } = (await testConnection()).models[name]!
  const values: Fields = { String: `a${made}`, Number: 1, Boolean: false, Array: [] }
  const fields = Object.entries(schema.paths).map(([field, path]) => [field, values[path.instance] ?? {}])
  const { _id, writer, keys, ...record } = Object.fromEntries(fields)
  return { ...record, id, version: 0 }
}

/** Returns a copy with another value at a path. */
function put<R extends Fields>(record: R, path: string, value: unknown): R {
  const [name, ...rest] = path.split('.') as [string, ...string[]]
  return { ...record, [name]: rest.length > 0 ? put((record[name] ?? {}) as Fields, rest.join('.'), value) : value }
}
const at = (record: Fields, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Fields | undefined)?.[name], record)
const otherThan = (value: unknown) => {
  if (typeof value === 'number') return value + 1
  return typeof value === 'boolean' ? !value : `${value ?? ''}x`
}
const rowsOf = (kind: keyof Identity) =>
  names.flatMap((name) => ((identities[name] as Identity)[kind] ?? []).map((path) => [name, path] as const))

/** Some collections keep an older name. */
const currentNames = {
  senders: 'relayerRecords',
  placeBooks: 'semaphoreRecords',
  providerGates: 'providerGates',
  tellings: 'overdueReports',
} as const
const isRenamed = (name: CollectionName): name is keyof typeof currentNames => name in currentNames
const currentName = (name: CollectionName) => (isRenamed(name) ? currentNames[name] : name)

const openings: [string, (name: CollectionName) => Promise<Opened>][] = [
  [
    'in memory',
    async (name) => {
      const records = recordsOf<Any>(name)
      return { records, other: records }
    },
  ],
  [
    'in MongoDB',
    async (name) => {
      const connection = await testConnection()
      const property = currentName(name)
      const of = (worker: string) => mongoStore(connection, worker, Date.now)[property] as unknown as Records<Any>
      return { records: of(`first-${++made}`), other: of(`second-${made}`) }
    },
  ],
]

describe.each(openings)('identity %s', (_where, open) => {
  /** The last writer is refused, and so is a process that never read the record. */
  async function assureRefused({ records, other }: Opened, stored: Any, changed: Any): Promise<void> {
    for (const each of [records, other]) {
      await expect(each.save(changed)).rejects.toBeInstanceOf(IllegalChange)
      expect(await each.load(stored.id)).toEqual(stored)
    }
  }
  const begun = async ({ records }: Opened, record: Any): Promise<Any> => {
    expect(await records.save(record)).not.toBeNull()
    return (await records.load(record.id))!
  }

  testAll(rowsOf('fixed'))('a fixed field never changes', async (name, path) => {
    const opened = await open(name)
    const record = await recordOf(name)
    const stored = await begun(opened, at(record, path) === undefined ? put(record, path, 'a') : record)
    const value = at(stored, path)
    await assureRefused(opened, stored, put(stored, path, otherThan(value)))
    if (value !== null) await assureRefused(opened, stored, put(stored, path, null))
    expect(await opened.other.save(stored)).not.toBeNull()
  })

  testAll(rowsOf('once'))('a field that is set once never changes again', async (name, path) => {
    const opened = await open(name)
    const fresh = await begun(opened, put(await recordOf(name), path, null))
    const value = path.endsWith('At') ? 5 : 'set'
    expect(await opened.other.save(put(fresh, path, value))).not.toBeNull()
    const stored = (await opened.records.load(fresh.id))!
    expect(at(stored, path)).toBe(value)
    await assureRefused(opened, stored, put(stored, path, otherThan(value)))
    await assureRefused(opened, stored, put(stored, path, null))
    expect(await opened.other.save(stored)).not.toBeNull()
  })

  testAll(rowsOf('sooner'))('a field that only moves earlier is set once and never moves later', async (name, path) => {
    const opened = await open(name)
    const fresh = await begun(opened, put(await recordOf(name), path, null))
    const set = (await opened.other.save(put(fresh, path, 100)))!
    await assureRefused(opened, set, put(set, path, 101))
    await assureRefused(opened, set, put(set, path, null))
    const sooner = (await opened.other.save(put(set, path, 99)))!
    expect(at(sooner, path)).toBe(99)
    expect(await opened.records.save(sooner)).not.toBeNull()
  })
})

test('an illegal change does not fail the other changes of its group', async () => {
  const store = mongoStore(await testConnection(), `group-${++made}`, Date.now)
  const organizations = store.organizations as unknown as Records<Any>
  const all = await Promise.all([1, 2, 3].map(async () => (await organizations.save(await recordOf('organizations')))!))
  const written = await Promise.allSettled(
    all.map((record, n) => organizations.save({ ...record, name: 'new', ...(n === 1 && { salt: 'other' }) })),
  )
  expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('every collection with saved records declares what never changes', async () => {
  const connection = await testConnection()
  const saved = Object.values(connection.models).filter(({ schema }) => 'writer' in schema.paths)
  expect(saved.map(({ modelName }) => modelName).toSorted()).toEqual([...names].toSorted())
  for (const { modelName, schema } of saved) {
    const { fixed = [], once = [], sooner = [] } = identities[modelName as CollectionName] as Identity
    for (const path of [...fixed, ...once, ...sooner]) expect(Object.keys(schema.paths)).toContain(path.split('.')[0]!)
  }
})

testAll<[string, Fields]>([
  ['an operator of the database', { createdAt: { $gt: 0 } }],
  ['a text for a number', { protocolFeeBps: '50' }],
  ['nothing where there must be something', { label: null }],
  ['an undeclared field', { isAdmin: true }],
])('a value of the wrong type is not stored', async (_what, planted) => {
  const store = mongoStore(await testConnection(), `planted-${++made}`, Date.now)
  const apiKeys = store.apiKeys as unknown as Records<Any>
  const record = await recordOf('apiKeys')
  await expect(apiKeys.save({ ...record, ...planted })).rejects.toThrow(/Field/)
  expect(await apiKeys.load(record.id)).toBeNull()
})
