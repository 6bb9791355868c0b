import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { verifyAudit } from '../../src/cli/audit/verify'
import { pseudonymOf } from '../../src/domain/tenant/audit-pseudonyms'
import { exportOf } from '../../src/http/operator/audit-export'
import { newDatabase } from '../support/new-database'
import { temporaryFolder } from '../support/temporary-folder'
import { testAll } from '../support/test-all'

const connection = await newDatabase()
const store = mongoStore(connection, 'names', Date.now)
await store.ensureIndexes()
const said: string[] = []
beforeAll(() => void spyOn(console, 'log').mockImplementation((line) => void said.push(String(line))))
afterAll(() => void spyOn(console, 'log').mockRestore())

type Row = { _id: string; organizationId: string; name: string; folded: string; stand: string; salt?: string }
const rows = () => connection.collection<Row>('auditNames')
const file = join(temporaryFolder('audit-names'), 'audit.jsonl')
let made = 0
const organization = () => `org_${++made}`

function act(organizationId: string, email: string, change: object = {}): Promise<void> {
  const actor = { kind: 'MEMBER', id: `id of ${email}`, label: email } as const
  const what = { verb: 'key.edit', target: 'key_1', reason: null, details: {}, requestId: null } as const
  return store.auditLog.append({ id: `aud_${++made}`, at: 1, organizationId, actor, ...what, ...change })
}
async function verified(organizationId: string, change = (text: string) => text): Promise<string> {
  said.splice(0)
  writeFileSync(file, change(await (await exportOf(store.auditLog, { tenant: organizationId }, 'jsonl')).text()))
  await verifyAudit(file, [])
  return said.slice(0, -1).join('\n')
}
const labels = async (organizationId: string) =>
  (await store.auditLog.list({ organizationId }, { limit: 50 })).map(({ actor }) => actor.label)
async function peopled() {
  const organizationId = organization()
  for (const name of ['ann', 'bob']) await act(organizationId, `${name}@corp.example`)
  const find = async (name: string) => (await rows().findOne({ organizationId, name: `${name}@corp.example` }))!
  return { organizationId, ann: await find('ann'), bob: await find('bob') }
}
type People = Awaited<ReturnType<typeof peopled>>
const set = ({ _id }: Row, $set: Partial<Row>) => rows().updateOne({ _id }, { $set })

test('unchanged names are counted', async () => {
  const { organizationId } = await peopled()
  await act(organizationId, 'ann@corp.example')
  expect(await verified(organizationId)).toEndWith(`${organizationId}: 2 names behind pseudonyms, none changed.`)
})

const changes: [what: string, change: (people: People) => Promise<unknown>, fault: RegExp][] = [
  ['is another', ({ ann }) => set(ann, { name: 'eve@corp.example' }), /match "eve@corp.example": the name was changed/],
  [
    'is in another case',
    ({ ann }) => set(ann, { name: 'Ann@corp.example' }),
    /"Ann@corp.example": the name was changed/,
  ],
  ['has another salt', ({ ann }) => set(ann, { salt: '00'.repeat(32) }), /"ann@corp.example": the name was changed/],
  [
    'changed places with another',
    ({ ann, bob }) => Promise.all([set(ann, { name: bob.name }), set(bob, { name: ann.name })]),
    /("(ann|bob)@corp.example": the name was changed\.\s?(Line.*)?){2}/,
  ],
  [
    'has another name’s pseudonym',
    ({ ann, bob }) => Promise.all([set(ann, { stand: bob.stand }), set(bob, { stand: ann.stand })]),
    /("(ann|bob)@corp.example": the name was changed\.\s?(Line.*)?){2}/,
  ],
  [
    'has a second row',
    ({ ann }) => rows().insertOne({ ...ann, _id: ann.stand, name: 'eve@corp.example' }),
    /has two names|"eve@corp.example": the name was changed/,
  ],
  ['has lost its salt', ({ ann: { _id } }) => rows().updateOne({ _id }, { $unset: { salt: '' } }), /has no salt/],
]
testAll(changes)('an altered name is detected, and is never shown in its new form', async (_, change, fault) => {
  const people = await peopled()
  await change(people)
  await expect(verified(people.organizationId)).rejects.toThrow(fault)
  await expect(verified(people.organizationId)).rejects.toThrow('No entry was changed, but names were')
  const shown = await labels(people.organizationId)
  expect(shown).not.toContain('eve@corp.example')
  expect(shown).toContain('a name that was changed')
})

test('a name moved to another organization is detected there, and missing in its own', async () => {
  const [from, to] = [await peopled(), await peopled()]
  await set(from.ann, { organizationId: to.organizationId })
  await expect(verified(to.organizationId)).rejects.toThrow('"ann@corp.example": the name was changed')
  expect(await labels(from.organizationId)).toContain('a removed name')
  expect(await verified(from.organizationId)).toContain('1 name removed. The log contains no deletion')
  const strange = (text: string) =>
    text.replaceAll(`"name":{"organizationId":"${from.organizationId}"`, '"name":{"organizationId":"org_x"')
  await expect(verified(from.organizationId, strange)).rejects.toThrow('is a name of org_x, but is listed under')
})

test('removed names are counted along with the deletions in the log', async () => {
  const { organizationId, ann } = await peopled()
  await act(organizationId, 'ann@corp.example', { verb: 'person.delete' })
  await rows().deleteMany({ folded: ann.folded })
  const told = await verified(organizationId)
  expect(told).toContain('1 name behind pseudonyms, none changed')
  expect(told).toContain('1 name removed. The log contains 1 deletion')
  expect(JSON.stringify(await store.auditLog.chain(organizationId, 0, 9))).not.toContain(ann.salt!)
})

test('a row copied from another person is not used for its person’s next action', async () => {
  const { organizationId, ann, bob } = await peopled()
  await set(ann, { name: bob.name, stand: bob.stand, salt: bob.salt! })
  await act(organizationId, 'ann@corp.example')
  await act(organizationId, 'ann@corp.example')
  expect(await labels(organizationId)).toEqual([
    'ann@corp.example',
    'ann@corp.example',
    'bob@corp.example',
    'a removed name',
  ])
})

/** Writes as a process of the previous release does: a random pseudonym for the name, without a salt. */
async function writtenBefore(organizationId: string, name: string): Promise<string> {
  const stand = `name_${'7'.repeat(24)}`
  await rows().insertOne({ _id: `before ${organizationId}`, organizationId, name, folded: name, stand })
  const actor = { kind: 'SYSTEM', id: 'before', label: stand } // stored as given here
  await act(organizationId, 'ann@corp.example', { actor })
  return stand
}

test('names of the previous release are shown and counted as not covered, and new ones are covered', async () => {
  const organizationId = organization()
  const stand = await writtenBefore(organizationId, 'ann@corp.example')
  await act(organizationId, 'ann@corp.example')
  expect(await labels(organizationId)).toEqual(['ann@corp.example', 'ann@corp.example'])
  expect(new Set((await rows().find({ organizationId }).toArray()).map((row) => row.stand)).size).toBe(2)
  const told = await verified(organizationId)
  expect(told).toContain('1 name behind pseudonyms, none changed')
  expect(told).toContain('1 name of an earlier release: not covered')
  await rows().insertOne({ _id: stand, organizationId, name: 'eve@corp.example', folded: '', stand })
  await expect(verified(organizationId)).rejects.toThrow(`${stand} has two names`)
})

test('a pseudonym of another organization’s name reveals nothing, whoever writes it', async () => {
  const { ann } = await peopled()
  const theirs = organization()
  await act(theirs, 'ann@corp.example', { reason: `because ${ann.stand} and name_${'7'.repeat(24)}` })
  const [entry] = await store.auditLog.list({ organizationId: theirs }, { limit: 1 })
  expect(entry!.reason).toBe('because a removed name and a removed name')
})

const names = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 40 }))
const salts = fc.uint8Array({ minLength: 16, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'))

test('no other name, organization or salt gives the same pseudonym', () => {
  const one = fc.record({ organizationId: names, name: names, salt: salts })
  const isSame = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b)
  fc.assert(
    fc.property(one, one, (a, b) => {
      expect(pseudonymOf(a)).toBe(pseudonymOf({ ...a }))
      for (const other of [b, { ...a, name: b.name }, { ...a, salt: b.salt }, { ...a, name: `${a.name} ` }])
        if (!isSame(a, other)) expect(pseudonymOf(other)).not.toBe(pseudonymOf(a))
      expect(pseudonymOf({ ...a, name: a.organizationId, organizationId: a.name }) === pseudonymOf(a)).toBe(
        a.name === a.organizationId,
      )
    }),
  )
})

test('any name is shown as written, verifies, and is detected when changed', async () => {
  const texts = fc.array(
    names.filter((name) => name !== ''),
    { minLength: 1, maxLength: 4 },
  )
  await fc.assert(
    fc.asyncProperty(texts, async (written) => {
      const organizationId = organization()
      await act(organizationId, 'ann@corp.example', { details: { written } })
      const [entry] = await store.auditLog.list({ organizationId }, { limit: 1 })
      expect(entry!.details).toEqual({ written: written.map((text) => text.toWellFormed()) })
      expect(await verified(organizationId)).toContain('none changed')
      await rows().updateOne({ organizationId, name: { $ne: 'ann@corp.example' } }, { $set: { name: 'another name' } })
      await expect(verified(organizationId)).rejects.toThrow('"another name": the name was changed')
    }),
    { numRuns: 25 },
  )
})

test('half a surrogate pair, which no store keeps, does not make an entry look changed', async () => {
  const organizationId = organization()
  await act(organizationId, 'ann@corp.example', {
    reason: 'broken \ud83d',
    target: '\udc00',
    details: { a: ['\ud83d'] },
  })
  expect(await verified(organizationId)).toContain('1 entries, none changed')
})
