import { expect, test } from 'bun:test'
import { hmacSeals } from '../../src/adapters/hmac-seals'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { type Doubt, resealAll } from '../../src/cli/verbs/intents'
import { type DepositIntent, snapshotOf } from '../../src/domain/deposit/deposit-intent'
import {
  claimOfExecution,
  intentObjection,
  isSealed,
  type Seals,
  sealedForSaving,
  shareBpsOf,
  withSealedShare,
} from '../../src/domain/seals'
import { newOrganization } from '../../src/http/dashboard/new-tenants'
import { newDatabase } from '../support/new-database'
import { addressOf, signable } from '../support/signable'

const [leaked, fresh] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`] as const
const [old, next, any] = [hmacSeals([leaked]), hmacSeals([fresh]), hmacSeals([fresh, leaked])]
const thief = addressOf('thief')
const pattern = signable({ kind: 'DIRECT' })

const [now, then] = [await newDatabase(), await newDatabase()]
await mongoStore(now, 'indexes', Date.now).ensureIndexes()

/** A store and its backup from before the leak. */
async function world() {
  const names = ['intents', 'intentVersions', 'executions', 'organizations', 'auditLog']
  await Promise.all([now, then].flatMap(({ db }) => names.map((name) => db!.collection(name).deleteMany({}))))
  const [store, backup] = [mongoStore(now, 'now', Date.now), mongoStore(then, 'then', Date.now)]
  const { id: _, ...template } = { ...pattern.facts.intent!, id: '' }
  const intentOf = (name: string, change: Partial<DepositIntent> = {}): DepositIntent => ({
    ...template,
    ...{ id: addressOf(name), version: 0, organizationId: 'org', userId: name, apiKeyId: 'key' },
    ...{ refundAddress: null, createdAt: 1, updatedAt: 1, ...change },
  })
  const save = (to: typeof store, intent: DepositIntent, by: Seals = old) =>
    to.intents.save(sealedForSaving(by, intent))
  /** A deposit that was matched with an intent and not routed yet. */
  async function matched(to: typeof store, intent: DepositIntent) {
    const id = `8453:${intent.id}:0`
    const { sealedAs: __, ...snapshot } = { ...snapshotOf(intent), sealedAs: undefined }
    const deposit = { ...pattern.deposit, account: intent.id }
    const facts = { intent: snapshot }
    await to.executions.save({
      ...pattern,
      id,
      version: 0,
      userId: intent.userId,
      organizationId: 'org',
      deposit,
      facts,
    })
    return id
  }
  const reseal = (confirmed: Doubt[] = [], isApplied = true) =>
    resealAll(store, { next, any, backup, confirmed, isApplied })
  const isNew = async (name: string) => isSealed(next, (await store.intents.load(addressOf(name)))!)
  return { store, backup, intentOf, save, matched, reseal, isNew }
}

test('records equal to the backup are sealed with the new key, and records vouched for only by the leaked key are reported', async () => {
  const { store, backup, intentOf, save, matched, reseal, isNew } = await world()
  const honest = intentOf('honest')
  for (const to of [store, backup]) {
    await save(to, honest)
    await save(to, intentOf('victim'))
  }
  const victim = (await store.intents.load(addressOf('victim')))!
  await save(store, { ...victim, targetAddress: thief })
  await save(store, intentOf('newcomer'))
  const ofHonest = await matched(store, (await store.intents.load(honest.id))!)
  const ofVictim = await matched(store, (await store.intents.load(victim.id))!)

  const first = await reseal([], false)
  expect([first.intents, first.executions, first.good]).toEqual([1, 1, 0])
  expect(await isNew('honest')).toBe(false)

  const { doubts, ...counts } = await reseal()
  expect(counts).toEqual({ good: 0, intents: 1, executions: 1, policies: 0, wrong: [], missed: [] })
  expect(await isNew('honest')).toBe(true)
  expect(intentObjection(next, (await store.executions.load(ofHonest))!)).toBeNull()
  expect(doubts.map(({ kind, id }) => [kind, id]).toSorted()).toEqual(
    [
      ['execution', ofVictim],
      ['intent', victim.id],
      ['intent', addressOf('newcomer')],
    ].toSorted(),
  )
  const ofThief = doubts.find(({ kind, id }) => kind === 'intent' && id === victim.id)!
  expect(ofThief.says).toMatchObject({ targetAddress: thief })
  expect(ofThief.said).toMatchObject({ targetAddress: victim.targetAddress })
  expect(await isNew('victim')).toBe(false)
  expect(intentObjection(next, (await store.executions.load(ofVictim))!)).not.toBeNull()
})

test('confirming a line seals exactly its content, without later writes', async () => {
  const { store, intentOf, save, matched, reseal, isNew } = await world()
  await save(store, intentOf('newcomer'))
  await save(store, intentOf('other'))
  const execution = await matched(store, (await store.intents.load(addressOf('newcomer')))!)
  const { doubts } = await reseal([], false)
  expect(doubts).toHaveLength(3)
  const intents = doubts.filter(({ kind }) => kind === 'intent')
  const other = (await store.intents.load(addressOf('other')))!
  await save(store, { ...other, targetAddress: thief })
  const after = await reseal(intents)
  // The deposit's intent is proved by the stored intent, which is sealed under the new key by now.
  expect([after.intents, after.executions]).toEqual([1, 1])
  expect([await isNew('newcomer'), await isNew('other')]).toEqual([true, false])
  expect(claimOfExecution((await store.executions.load(execution))!)!.fields).toMatchObject({ userId: 'newcomer' })
  const entries = await store.auditLog.list({ organizationId: 'org', verb: 'intent.reseal' }, { limit: 9 })
  expect(entries.map(({ details }) => (details as { by: string }).by).toSorted()).toEqual(['CONFIRMATION', 'EVIDENCE'])
})

test('a second run continues after an interruption and repeats nothing', async () => {
  const { store, backup, intentOf, save, reseal, isNew } = await world()
  for (const name of ['a', 'b', 'c']) for (const to of [store, backup]) await save(to, intentOf(name))
  const a = (await store.intents.load(addressOf('a')))!
  // an earlier run reached this point, or the integrator sent it again
  await store.intents.save(sealedForSaving(next, a))
  expect(await reseal()).toMatchObject({ good: 1, intents: 2, doubts: [] })
  expect(await reseal()).toMatchObject({ good: 3, intents: 0, doubts: [] })
  expect(await Promise.all(['a', 'b', 'c'].map(isNew))).toEqual([true, true, true])
})

test('a record changed at the same moment is named instead of counted as sealed', async () => {
  const { store, backup, intentOf, save, isNew } = await world()
  for (const to of [store, backup]) await save(to, intentOf('raced'))
  async function* intents() {
    for await (const intent of store.unsealed.intents()) {
      await save(store, { ...intent, updatedAt: 2 })
      yield intent
    }
  }
  const raced = { ...store, unsealed: { ...store.unsealed, intents } }
  const told = await resealAll(raced, { next, any, backup, confirmed: [], isApplied: true })
  expect([told.intents, told.missed]).toEqual([0, [`intent ${addressOf('raced')}`]])
  expect(await isNew('raced')).toBe(false)
})

test('a wrong seal proves nothing, and neither does one in the backup', async () => {
  const { store, backup, intentOf, reseal, save } = await world()
  await store.intents.save({ ...intentOf('forged'), seal: 'A'.repeat(43) })
  await save(store, intentOf('kept'))
  await backup.intents.save({ ...intentOf('kept'), seal: 'A'.repeat(43) })
  const { wrong, doubts, intents } = await reseal()
  expect([wrong, doubts.length, intents]).toEqual([[`intent ${addressOf('forged')}`], 1, 0])
})

test('a share below the platform’s is sealed again if the backup has it, and reported if the backup differs', async () => {
  const { store, backup, reseal } = await world()
  const generous = (slug: string, minOutputBps: number) =>
    withSealedShare(old, newOrganization({ name: slug, slug, policy: { minOutputBps } }, 1))
  const [same, lowered] = [generous('same', 9_000), generous('lowered', 9_500)]
  for (const to of [store, backup]) for (const each of [same, lowered]) await to.organizations.save(each)
  const stored = (await store.organizations.load(lowered.id))!
  await store.organizations.save(
    withSealedShare(old, { ...stored, policy: { ...stored.policy!, minOutputBps: 5_000 } }),
  )
  const { policies, doubts } = await reseal()
  expect([policies, doubts.map(({ kind, id }) => [kind, id])]).toEqual([1, [['policy', lowered.id]]])
  expect(shareBpsOf(next, await store.organizations.load(same.id))).toBe(9_000)
  expect(shareBpsOf(next, await store.organizations.load(lowered.id))).toBe(9_700)
})
