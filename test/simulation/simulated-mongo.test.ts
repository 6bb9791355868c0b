import { expect, test } from 'bun:test'
import { matches, projected, stored, updated } from '../support/simulation/documents'
import { SimulatedMongo } from '../support/simulation/simulated-mongo'
import { testAll } from '../support/test-all'

// The contract tests of the store's ports run on this database too: see `engineStores` in `test/support/stores.ts`.

const document = stored({ _id: 'a', n: 1, list: ['x', 'y'], inner: { text: 'm', none: null } })
const filters: [filter: object, isFound: boolean][] = [
  [{ n: { $gt: 0, $lte: 1 } }, true],
  [{ n: { $gt: '' } }, false], // of another type
  [{ 'inner.none': null, 'inner.missing': null }, true],
  [{ 'inner.none': { $exists: true }, 'inner.missing': { $exists: false } }, true],
  [{ list: 'x' }, true],
  [{ list: { $gt: 'x', $lt: 'y' } }, true], // by two items
  [{ list: { $nin: ['y'] } }, false],
  [{ $or: [{ n: 2 }, { 'inner.text': { $in: ['m', null] } }] }, true],
  [{ $and: [{ n: 1 }, { n: { $ne: 1 } }] }, false],
]
testAll(filters)('simulated MongoDB: a filter finds what it finds in MongoDB', (filter, isFound) =>
  expect(matches(document, filter)).toBe(isFound),
)

test('simulated MongoDB: an update and a projection change only their fields', () => {
  const update = {
    $set: { 'inner.more': { a: 1 } },
    $unset: { 'inner.text': '' },
    $inc: { n: 2 },
    $addToSet: { list: { $each: ['y', 'z'] } },
  }
  expect(updated(document, update)).toEqual({
    _id: 'a',
    n: 3,
    list: ['x', 'y', 'z'],
    inner: { none: null, more: { a: 1 } },
  })
  expect(projected(document, { 'inner.text': 1 })).toEqual({ _id: 'a', inner: { text: 'm' } })
  expect(projected(document, { n: 1, list: { $slice: 1 } })).toEqual({ _id: 'a', n: 1, list: ['x'] })
})

test('simulated MongoDB: an operator that is not simulated is an error that names it', () => {
  expect(() => matches(document, { n: { $mod: [2, 1] } })).toThrow('$mod is not simulated')
  expect(() => updated(document, { $push: { list: 'z' } })).toThrow('$push is not simulated')
  expect(() => projected(document, { list: { $slice: -1 } })).toThrow('not simulated')
})

test('simulated MongoDB: a document that moves between two responses is shown twice, and one response is one moment', async () => {
  const mongo = new SimulatedMongo({ batch: 2, moves: () => true })
  const rows = mongo.rows('numbers')
  for (const _id of ['a', 'b', 'c']) rows.insert({ _id, n: 1 })
  let responses = 0
  const connection = mongo.connect(async (_command, act) => {
    if (responses++ === 1) rows.change(rows.documents.get('a')!, { $inc: { n: 1 } })
    return act()
  })
  const read = async (size: number) => {
    responses = 0
    const found = await connection.db!.collection('numbers').find({}).batchSize(size).toArray()
    return found.map(({ _id, n }) => `${_id}${n}`)
  }
  expect(await read(10)).toEqual(['a1', 'b1', 'c1'])
  expect(await read(2)).toEqual(['a1', 'b1', 'c1', 'a2'])
})
