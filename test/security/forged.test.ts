import { expect, test } from 'bun:test'
import { hmacSeals } from '../../src/adapters/hmac-seals'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { sealAll } from '../../src/cli/verbs/intents'
import { type DepositIntent, type IntentSnapshot, withDepartures } from '../../src/domain/deposit/deposit-intent'
import { RoutingError } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import { type Order, routeIdOf } from '../../src/domain/execution/route'
import type { WorthApproval } from '../../src/domain/money/worth'
import {
  intentObjection,
  sealedApproval,
  sealedForSaving,
  shareBpsOf,
  withoutForgedWorth,
} from '../../src/domain/seals'
import { newOrganization } from '../../src/http/dashboard/new-tenants'
import type { VerifyIntent } from '../../src/ports/signer'
import { matchIntent } from '../../src/routing/steps/match-intent'
import { newDatabase } from '../support/new-database'
import { anySeal, sealed, seals } from '../support/seals'
import { account, addressOf, signable, signerOf } from '../support/signable'
import { testAll } from '../support/test-all'

const thief = addressOf('thief')
const deadline = 1_800_000_000
/** Paid out on the same chain: no calldata names the recipient, so only the record decides. */
const direct = signable({ kind: 'DIRECT' })
const { intent: plain, ...found } = direct.facts
const owner = { id: account, organizationId: direct.organizationId, userId: direct.userId }
const made = { ...plain!, version: 3, refundAddress: addressOf('refunds'), createdAt: 1, updatedAt: 2 }
const given: DepositIntent = sealedForSaving(seals, { ...made, ...owner })

const connection = await newDatabase()
const { accountSalt } = await signerOf().sign(direct, deadline)

const raw = (collection: string) => connection.db!.collection<{ _id: string }>(collection)
let readers = 0
/** Reads as another process, without caches. */
const fresh = () => mongoStore(connection, `forged-${++readers}`, Date.now)

/** The records of one honest deposit, as the service stores them. */
async function stored() {
  for (const name of ['intents', 'accounts', 'executions']) await raw(name).deleteMany({})
  const store = fresh()
  const times = { label: null, createdAt: 1, updatedAt: 1 }
  await store.accounts.save({ ...owner, version: 0, accountSalt, canonicalChainId: 8453, ...times })
  await store.intents.save({ ...given, version: 0, ...sealedAt(1) })
  const { facts } = await matched({ ...direct, facts: found }, fresh())
  await store.executions.save({ ...direct, version: 0, facts: { ...found, ...facts } })
}
const sealedAt = (version: number) => {
  const { seal } = sealedForSaving(seals, { ...given, version: version - 1 })
  return { seal: seal! }
}

async function matched(execution: Execution, { intents }: Pick<ReturnType<typeof fresh>, 'intents'>) {
  const verifyIntent: VerifyIntent = async (record) => intentObjection(seals, record)
  const outcome = await matchIntent({
    intents,
    accounts: { load: async () => null },
    verifyIntent,
    now: () => 0,
    executions: {} as never,
  })(execution)
  if (!('type' in outcome)) throw new Error('It was not matched')
  return { facts: outcome.facts! }
}

/** The signer's order for the stored records. The thief has adapted everything that needs no key. */
async function signedOf(by = signerOf({ seals, accounts: fresh().accounts })): Promise<Order> {
  const store = fresh()
  const record = (await store.executions.load(direct.id))!
  const routeId = routeIdOf({ ...record, executionId: record.id, intent: record.facts.intent! })
  return by.sign({ ...record, facts: { ...record.facts, routeId } }, deadline)
}

const outcomeOf = (signing: Promise<Order>): Promise<string> =>
  signing.then(
    ({ id }) => id,
    (error) => {
      if (error instanceof RoutingError) return error.code
      throw error
    },
  )

/** Another value of the same type, chosen by the thief. */
function rewritten(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value === 8453 ? 42161 : value + 1
  if (value === null || /^0x[0-9a-fA-F]{40}$/.test(String(value))) return thief
  return /^0x[0-9a-f]{64}$/.test(String(value)) ? `0x${'7'.repeat(64)}` : `${value}x`
}

/** Every plain field of a document by path, without those in lists. */
const pathsOf = (document: object, prefix = ''): string[] =>
  Object.entries(document).flatMap(([name, value]) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? pathsOf(value, `${prefix}${name}.`)
      : [`${prefix}${name}`],
  )
const valueAt = (document: object, path: string) =>
  path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document)

const refused = ['INTENT_NOT_SEALED', 'SIGNER_REFUSED']

test('honest records are signed, and rewritten ones would be without seals, so the following tests can fail', async () => {
  await stored()
  expect((await signedOf()).intent.recipient).toBe(plain!.targetAddress)
  await raw('executions').updateOne({ _id: direct.id }, { $set: { 'facts.intent.targetAddress': thief } })
  const blind = signerOf({ seals: anySeal, accounts: fresh().accounts })
  expect((await signedOf(blind)).intent.recipient).toBe(thief)
  expect(await outcomeOf(signedOf())).toBe('INTENT_NOT_SEALED')
})

test('a rewritten field of an execution’s snapshot or account never leads to a different signed order', async () => {
  await stored()
  const honest = (await signedOf()).id
  const outcomes: Record<string, string> = {}
  const [execution, ofAccount] = [await raw('executions').findOne(), await raw('accounts').findOne()]
  const places = [
    ...pathsOf(execution!)
      .filter((path) => /^(facts\.intent\.|organizationId|userId|deposit\.account)/.test(path))
      .map((path) => ['executions', path, execution!] as const),
    ...pathsOf(ofAccount!)
      .filter((path) => path !== '_id')
      .map((path) => ['accounts', path, ofAccount!] as const),
  ]
  for (const [collection, path, document] of places) {
    await raw(collection).updateOne({ _id: document._id }, { $set: { [path]: rewritten(valueAt(document, path)) } })
    const outcome = await outcomeOf(signedOf())
    outcomes[`${collection}.${path}`] = outcome === honest ? 'the same order' : outcome
    await raw(collection).replaceOne({ _id: document._id }, document)
  }
  for (const [place, outcome] of Object.entries(outcomes))
    expect([...refused, 'the same order'], place).toContain(outcome)
  const ofSnapshot = Object.entries(outcomes).filter(([place]) => place.includes('facts.intent.'))
  expect(ofSnapshot.length).toBeGreaterThanOrEqual(9)
  for (const [place, outcome] of ofSnapshot) expect(outcome, place).toBe('INTENT_NOT_SEALED')
  expect(outcomes['executions.userId']).toBe('INTENT_NOT_SEALED')
  expect(outcomes['accounts.organizationId']).toBe('SIGNER_REFUSED')
  expect(await outcomeOf(signedOf())).toBe(honest)
})

test('a rewritten field of a stored intent prevents every match with it', async () => {
  await stored()
  const document = (await raw('intents').findOne())!
  const decidesNothing = ['_id', 'writer', 'createdAt', 'updatedAt']
  const paths = pathsOf(document).filter((path) => !path.startsWith('keys') && !decidesNothing.includes(path))
  expect(paths).toContain('refundAddress')
  for (const path of paths) {
    await raw('intents').updateOne({ _id: document._id }, { $set: { [path]: rewritten(document[path as '_id']) } })
    const failure = await matched({ ...direct, facts: found }, fresh()).catch((error) => error)
    expect(failure.code, path).toBe('INTENT_NOT_SEALED')
    await raw('intents').replaceOne({ _id: document._id }, document)
  }
  await raw('intents').updateOne({ _id: document._id }, { $unset: { seal: '' } })
  expect((await matched({ ...direct, facts: found }, fresh()).catch((error) => error)).code).toBe('INTENT_NOT_SEALED')
})

const thieves = { organizationId: 'thieves', userId: 'thief' }
const { seal: _, ...unsealed } = made as IntentSnapshot & { seal?: string }
const kept = (({ createdAt, updatedAt, ...rest }) => rest)(unsealed as typeof made)
const theirs: IntentSnapshot = { ...kept, targetAddress: thief }
const honestly = sealed(direct, kept)
const toThief = { targetAddress: thief, protocolFeeBps: 0 }

testAll([
  ['a seal of the thief’s own account', { 'facts.intent': sealed({ ...thieves, deposit: direct.deposit }, theirs) }],
  ['deposit and account moved to the thief’s tenant', { ...thieves, 'facts.intent': honestly }],
  [
    'moved, and sealed there for another account',
    { ...thieves, 'facts.intent': sealed({ ...thieves, deposit: { account: thief } }, theirs) },
  ],
  ['a departure that names the thief', { redriveOf: 'x', 'facts.intent': withDepartures(honestly, toThief) }],
  [
    'a refund without a request',
    { 'facts.intent': withDepartures(honestly, { targetAddress: made.refundAddress!, protocolFeeBps: 0 }) },
  ],
  ['a fee that is waived for no refund', { 'facts.intent': withDepartures(honestly, { protocolFeeBps: 0 }) }],
  [
    'a seal for something else',
    { 'facts.intent': { ...theirs, seal: seals.seal('worth approval', { ...theirs, ...owner } as never) } },
  ],
])('not signed: an order that departs from the integrator’s intent', async (_what, change: Record<string, unknown>) => {
  await stored()
  await raw('executions').updateOne({ _id: direct.id }, { $set: change })
  const moved = Object.fromEntries(Object.entries(change).filter(([name]) => name in thieves))
  if (Object.keys(moved).length > 0) await raw('accounts').updateOne({ _id: account }, { $set: moved })
  expect(refused).toContain(await outcomeOf(signedOf()))
})

testAll([
  ['an operator’s refund', { redriveOf: 'x' }, { targetAddress: made.refundAddress!, protocolFeeBps: 0 }],
  ['no second fee on refunded money', { refundOf: 'x' }, { protocolFeeBps: 0 }],
])('a permitted departure from the integrator’s intent does not count as forged', async (_what, change, how) => {
  await stored()
  await raw('executions').updateOne(
    { _id: direct.id },
    { $set: { ...change, 'facts.intent': withDepartures(honestly, how) } },
  )
  // The record has the fees of the sealed terms, which is the signer's only objection.
  const failure = await signedOf().catch((error) => error)
  expect([failure.code, failure.cause.message]).toEqual(['SIGNER_REFUSED', 'The fees do not follow the fee rules'])
})

test('a record older than seals waits, is sealed once by an operator and then signed, and a forged one stays forged', async () => {
  await stored()
  const store = fresh()
  await raw('organizations').deleteMany({})
  const generous = newOrganization({ name: 'one', slug: 'one', policy: { minOutputBps: 9_000 } }, 1)
  await store.organizations.save(generous)
  await store.organizations.save(newOrganization({ name: 'two', slug: 'two', policy: { minOutputBps: 9_900 } }, 2))
  const honest = (await signedOf()).id
  await raw('intents').updateMany({}, { $unset: { seal: '' } })
  await raw('executions').updateMany({}, { $unset: { 'facts.intent.seal': '' } })
  expect(await outcomeOf(signedOf())).toBe('INTENT_NOT_SEALED')

  expect(await sealAll(store, seals)).toEqual({ intents: 1, executions: 1, policies: 1, wrong: [] })
  expect(await outcomeOf(signedOf())).toBe(honest)
  expect(shareBpsOf(seals, await fresh().organizations.load(generous.id))).toBe(9_000)
  expect((await matched({ ...direct, facts: found }, fresh())).facts.intent!.version).toBe(2)
  expect(await sealAll(fresh(), seals)).toEqual({ intents: 0, executions: 0, policies: 0, wrong: [] })

  await raw('intents').updateMany({}, { $set: { targetAddress: thief } })
  await raw('executions').updateMany({}, { $set: { 'facts.intent.targetAddress': thief } })
  expect(await sealAll(fresh(), seals)).toEqual({ intents: 0, executions: 0, policies: 0, wrong: [account] })
  expect(await outcomeOf(signedOf())).toBe('INTENT_NOT_SEALED')
})

test('a seal is valid exactly while its key is among the verifying ones', () => {
  const [old, next] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`] as const
  const fields = { one: 1, two: null }
  const seal = hmacSeals([old]).seal('intent', fields)
  expect(hmacSeals([next, old]).isGood('intent', { two: null, one: 1 }, seal)).toBe(true)
  expect(hmacSeals([next]).isGood('intent', fields, seal)).toBe(false)
  for (const other of [{ one: 1 }, { one: '1', two: null }, { one: 1, two: null, three: 3 }, { one: {}, two: null }])
    expect(hmacSeals([old]).isGood('intent', other, seal)).toBe(false)
  for (const wrong of [null, undefined, '', `${seal}=`, seal.slice(1), { length: 43 }, 7])
    expect(hmacSeals([old]).isGood('intent', fields, wrong)).toBe(false)
  expect(() => hmacSeals([old]).seal('intent', { nested: {} } as never)).toThrow('nested cannot be sealed')
})

test('an approval without a price is one operator’s, for one execution and one amount', () => {
  const approval = sealedApproval(seals, direct.id, { amountOutMin: '24', totalReceivedRaw: '25', at: 5 })
  const kept = (id: string, worthApproval: WorthApproval) =>
    withoutForgedWorth(seals, { ...direct, id, facts: { ...direct.facts, worthApproval } }).facts.worthApproval
  expect(kept(direct.id, approval)).toEqual(approval)
  expect(kept(`${direct.id}:r1`, approval)).toBeUndefined()
  for (const forged of [
    { ...approval, amountOutMin: '1' },
    { ...approval, totalReceivedRaw: '1000' },
    { ...approval, at: 6 },
    { amountOutMin: '24', totalReceivedRaw: '25', at: 5 },
  ])
    expect(kept(direct.id, forged)).toBeUndefined()
})
