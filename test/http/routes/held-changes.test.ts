import { expect, test } from 'bun:test'
import { approved, sealedChange } from '../../../src/domain/deposit/held-change'
import type { Execution } from '../../../src/domain/execution/execution'
import { intentObjection, isSealed } from '../../../src/domain/seals'
import { heldChangesTask } from '../../../src/intents/held-changes'
import { storedSemaphores } from '../../../src/limits/stored-semaphores'
import type { VerifyIntent } from '../../../src/ports/signer'
import { matchIntent } from '../../../src/routing/steps/match-intent'
import { executionOf } from '../../support/deposits'
import { seals } from '../../support/seals'
import { target } from '../world'
import { changeHeld, codeOf, elsewhere, holding, hour, third } from './holding'

test('a change applies after its hours despite repetitions, and the old recipient stays until then', async () => {
  const { put, goesTo, apply, clock, store, id } = await holding({ kind: 'DELAY', hours: 24 })
  const first = await put(elsewhere)
  expect([...codeOf(first), first.json.message]).toEqual([
    ...changeHeld,
    'The new destination of deposits takes effect at 2026-11-22T10:00:00.000Z',
  ])
  clock.now += 24 * hour - 1
  await apply()
  expect([codeOf(await put(elsewhere)), await goesTo()]).toEqual([changeHeld, target.targetAddress])
  clock.now += 1
  await apply()
  await apply()
  expect(await goesTo()).toBe(elsewhere.targetAddress)
  expect(isSealed(seals, (await store.intents.load(id))!)).toBe(true)
  expect((await put(elsewhere)).status).toBe(200)
  const verbs = store.auditLog.entries.map(({ verb }) => verb)
  expect(verbs).toEqual(['intent.create', 'intent.hold_change', 'intent.edit'])
})

test('a different request restarts the wait, and the earlier one never applies', async () => {
  const { put, goesTo, apply, clock } = await holding({ kind: 'DELAY', hours: 24 })
  await put(elsewhere)
  clock.now += 23 * hour
  await put(third)
  clock.now += 2 * hour
  await apply()
  expect(await goesTo()).toBe(target.targetAddress)
  clock.now += 22 * hour
  await apply()
  expect(await goesTo()).toBe(third.targetAddress)
})

test('a change that has become circular through a later intent does not apply', async () => {
  const { ask, client, put, goesTo, apply, clock, id, store } = await holding({ kind: 'DELAY', hours: 24 })
  const bob = await ask('/api/accounts', { key: client, body: { ownerAddress: 'bob', chainKey: 'base' } })
  const toBob = { ...target, targetAddress: bob.json.modularAccountAddress }
  expect(codeOf(await put(toBob))).toEqual(changeHeld)
  expect((await put({ ...target, userId: 'bob', targetAddress: id })).status).toBe(201)
  clock.now += 24 * hour
  await apply()
  expect([await goesTo(), (await store.heldChanges.load(id))!.state]).toEqual([target.targetAddress, 'VOID'])
})

test('no intent that leads back to a change is stored between its check and its write', async () => {
  const hold = { kind: 'DELAY', hours: 24 } as const
  const { ask, client, put, goesTo, clock, id, ports, store } = await holding(hold)
  const to = async (ownerAddress: string) => {
    const { json } = await ask('/api/accounts', { key: client, body: { ownerAddress, chainKey: 'base' } })
    return { ...target, targetAddress: json.modularAccountAddress }
  }
  const [toBob, toCarol] = [await to('bob'), await to('carol')]
  const toAnn = () => put({ ...target, userId: 'bob', targetAddress: id })
  expect(codeOf(await put(toBob))).toEqual(changeHeld)
  clock.now += 24 * hour
  let meanwhile: unknown
  const save: typeof store.intents.save = async (intent) => {
    meanwhile = codeOf(await toAnn())
    return store.intents.save(intent)
  }
  await heldChangesTask({ ...ports, intents: { ...store.intents, save } }).round()
  expect([meanwhile, await goesTo()]).toEqual([[409, 'CHANGED_MEANWHILE'], toBob.targetAddress])
  expect((await toAnn()).status).toBe(400)
  // A change that is due is also applied by a request that already holds the lock.
  expect(codeOf(await put(elsewhere))).toEqual(changeHeld)
  clock.now += 24 * hour
  expect(codeOf(await put(toCarol))).toEqual(changeHeld)
  expect(await goesTo()).toBe(elsewhere.targetAddress)
})

test('a new user and a request without a change need no wait', async () => {
  const { put } = await holding({ kind: 'APPROVAL' })
  expect((await put(target)).status).toBe(200)
  expect((await put({ ...target, userId: 'bob' })).status).toBe(201)
})

test('a second member approves the request of a key or another member, and never their own', async () => {
  const { as, approve, goesTo, secondSteps } = await holding({ kind: 'APPROVAL' })
  const body = { userId: 'ann', ...elsewhere }
  expect(codeOf(await as('admin', '/deposit-intents', { body }))).toEqual(changeHeld)
  for (const who of ['admin', 'operator', 'member', 'other-owner', 'platform-owner'])
    expect([who, [403, 404].includes((await approve(who)).status)]).toEqual([who, true])
  secondSteps.set('owner', { hasSecondStep: true, secondStepAt: null })
  expect(codeOf(await approve('owner'))).toEqual([403, 'SECOND_STEP_NEEDED'])
  secondSteps.delete('owner')
  expect(await goesTo()).toBe(target.targetAddress)
  expect((await as('member', '/recipient-changes')).json).toMatchObject([{ userId: 'ann', mayApprove: false }])
  expect([(await approve('owner')).status, await goesTo()]).toEqual([204, elsewhere.targetAddress])
  expect((await approve('owner')).status).toBe(404)
})

test('an approval counts although another process stores an intent then, and is applied afterwards', async () => {
  const { ask, client, put, approve, goesTo, apply, clock, store } = await holding({ kind: 'APPROVAL' })
  const bob = await ask('/api/accounts', { key: client, body: { ownerAddress: 'bob', chainKey: 'base' } })
  const toBob = { ...target, targetAddress: bob.json.modularAccountAddress }
  expect(codeOf(await put(toBob))).toEqual(changeHeld)
  const otherProcess = storedSemaphores({ books: store.semaphoreRecords, now: () => clock.now })
  await otherProcess.acquire('leading:org_a', { holder: 'elsewhere', most: 1, until: clock.now + 30_000 })
  expect([(await approve('owner')).status, await goesTo()]).toEqual([204, target.targetAddress])
  await otherProcess.release('leading:org_a', 'elsewhere')
  await apply()
  expect(await goesTo()).toBe(toBob.targetAddress)
})

test('a member without a second step can approve or change the setting only within 15 minutes of a sign-in', async () => {
  const { as, approve, goesTo, began, put, clock } = await holding({ kind: 'APPROVAL' })
  await put(elsewhere)
  clock.now += 24 * hour
  began.set('owner', clock.now - 24 * hour)
  expect(codeOf(await approve('owner'))).toEqual([403, 'SIGN_IN_NEEDED'])
  expect((await as('owner', '/recipient-hold', { method: 'PUT', body: { kind: 'NONE' } })).status).toBe(403)
  expect(await goesTo()).toBe(target.targetAddress)
  began.set('owner', clock.now - 60_000)
  expect([(await approve('owner')).status, await goesTo()]).toEqual([204, elsewhere.targetAddress])
})

test('a withdrawn change never applies', async () => {
  const { withdraw, put, goesTo, apply, clock } = await holding({ kind: 'DELAY', hours: 1 })
  await put(elsewhere)
  expect((await withdraw('member')).status).toBe(403)
  expect((await withdraw('admin')).status).toBe(204)
  clock.now += 2 * hour
  await apply()
  expect(await goesTo()).toBe(target.targetAddress)
  expect(codeOf(await put(elsewhere))).toEqual(changeHeld)
})

test('a rewritten record redirects nothing, by another recipient, an earlier time or an older change', async () => {
  const { put, goesTo, apply, clock, store, id } = await holding({ kind: 'DELAY', hours: 24 })
  await put(elsewhere)
  const held = (await store.heldChanges.load(id))!
  for (const forged of [
    { from: clock.now },
    { target: { ...held.target, targetAddress: third.targetAddress }, from: 1 },
  ]) {
    const known = (await store.heldChanges.load(id))!
    await store.heldChanges.save({ ...known, ...held, ...forged, version: known.version } as never)
    await apply()
    expect(await goesTo()).toBe(target.targetAddress)
  }
  const known = (await store.heldChanges.load(id))!
  await store.heldChanges.save({ ...held, version: known.version })
  clock.now += 24 * hour
  await apply()
  expect(await goesTo()).toBe(elsewhere.targetAddress)
  const back = (await store.heldChanges.load(id))!
  await store.heldChanges.save({ ...back, state: 'WAITING' })
  const intent = (await store.intents.load(id))!
  await apply()
  expect(await store.intents.load(id)).toEqual(intent)
})

test('an owner sets the safeguard, and removes it only after its own wait', async () => {
  const { as, put, clock, goesTo, apply } = await holding({ kind: 'DELAY', hours: 24 })
  for (const who of ['admin', 'operator', 'member'])
    expect((await as(who, '/recipient-hold', { method: 'PUT', body: { kind: 'NONE' } })).status).toBe(403)
  expect((await as('owner', '/recipient-hold', { method: 'PUT', body: { kind: 'NONE' } })).json).toEqual({
    hold: { kind: 'DELAY', hours: 24 },
    next: { hold: null, from: '2026-11-22T10:00:00.000Z' },
  })
  expect(codeOf(await put(elsewhere))).toEqual(changeHeld)
  clock.now += 24 * hour
  await apply()
  expect(await goesTo()).toBe(elsewhere.targetAddress)
  expect((await put(third)).status).toBe(200)
})

test('a deposit during the wait goes to the old recipient, and a later one to the new recipient', async () => {
  const { put, apply, clock, store, id } = await holding({ kind: 'DELAY', hours: 1 })
  const verifyIntent: VerifyIntent = async (execution) => intentObjection(seals, execution)
  const match = matchIntent({
    intents: store.intents,
    accounts: store.accounts,
    executions: store.executions,
    verifyIntent,
    now: () => clock.now,
  })
  const found = (n: number) => executionOf(n, { organizationId: 'org_a', userId: 'ann' }, { account: id })
  const matched = async (execution: Execution) => {
    const { facts } = (await match(execution)) as { facts: Execution['facts'] }
    return { ...execution, facts: { ...execution.facts, ...facts } }
  }
  await put(elsewhere)
  const before = await matched(found(1))
  clock.now += hour
  expect((await matched(found(2))).facts.intent!.targetAddress).toBe(target.targetAddress as never)
  await apply()
  const after = await matched(found(3))
  expect([before, after].map(({ facts }) => facts.intent!.targetAddress as string)).toEqual([
    target.targetAddress,
    elsewhere.targetAddress,
  ])
  // A deposit on its way keeps its matched intent, whose seal stays valid.
  expect([await match(before), await verifyIntent(before), await verifyIntent(after)]).toEqual([
    { type: 'intent matched', facts: {} },
    null,
    null,
  ])
})

test('the creator of the requesting key cannot approve its change', async () => {
  const { put, approve, id, store, clock } = await holding({ kind: 'APPROVAL' })
  await put(elsewhere)
  const held = (await store.heldChanges.load(id))!
  const { createdBy } = store.apiKeys.all().find(({ id: keyId }) => keyId === held.askedBy.id)!
  expect(held).toMatchObject({ askedBy: { kind: 'API_KEY' }, personId: createdBy })
  await store.heldChanges.save(sealedChange(seals, { ...held, personId: 'owner', askedAt: clock.now }))
  expect([(await approve('owner')).status, (await approve('admin')).status]).toEqual([403, 204])
})

test('another process finishes a change after a crash at any step, with one audit entry, and it cannot be withdrawn then', async () => {
  for (const stops of ['before the intent', 'after the intent']) {
    const { put, withdraw, goesTo, apply, clock, store, id, ports, troubles } = await holding({
      kind: 'DELAY',
      hours: 1,
    })
    await put(elsewhere)
    clock.now += hour
    const save: typeof store.intents.save = async (intent) => {
      if (stops === 'after the intent') await store.intents.save(intent)
      throw new Error('killed')
    }
    await heldChangesTask({ ...ports, intents: { ...store.intents, save } }).round()
    expect(troubles).toHaveLength(1)
    expect((await withdraw('owner')).status).toBe(404)
    await Promise.all([apply(), apply(), apply()])
    expect([await goesTo(), (await store.heldChanges.load(id))!.state]).toEqual([elsewhere.targetAddress, 'DONE'])
    expect((await store.intents.load(id))!.version).toBe(2)
    const edits = store.auditLog.entries.filter(({ verb }) => verb === 'intent.edit')
    expect(edits).toMatchObject([{ target: id, details: { targetAddress: { to: elsewhere.targetAddress } } }])
  }
})

test('an approval whose process died is carried out by another one', async () => {
  const { put, goesTo, apply, clock, store, id } = await holding({ kind: 'APPROVAL' })
  await put(elsewhere)
  const held = (await store.heldChanges.load(id))!
  await store.heldChanges.save({ ...held, from: clock.now, state: 'APPLYING' })
  await apply()
  expect([await goesTo(), (await store.heldChanges.load(id))!.state]).toEqual([target.targetAddress, 'VOID'])
  await put(elsewhere)
  const again = (await store.heldChanges.load(id))!
  await store.heldChanges.save({ ...approved(seals, again, clock.now), state: 'APPLYING' })
  await apply()
  expect(await goesTo()).toBe(elsewhere.targetAddress)
})

test('a change that is due applies before the next request is held back', async () => {
  const { put, goesTo, apply, clock } = await holding({ kind: 'DELAY', hours: 1 })
  await put(elsewhere)
  clock.now += hour
  expect([codeOf(await put(third)), await goesTo()]).toEqual([changeHeld, elsewhere.targetAddress])
  clock.now += hour
  await apply()
  expect(await goesTo()).toBe(third.targetAddress)
})

test('a request for the change that is due applies it, and shows it without a further version', async () => {
  const { put, clock, store, id } = await holding({ kind: 'DELAY', hours: 1 })
  await put(elsewhere)
  clock.now += hour
  const { status, json } = await put(elsewhere)
  expect([status, json.targetAddress]).toEqual([200, elsewhere.targetAddress])
  expect((await store.intents.load(id))!.version).toBe(2)
})

test('an organization without the safeguard changes recipients immediately, and sees no other organization’s changes', async () => {
  const { put, as, store } = await holding({ kind: 'APPROVAL' })
  await put(elsewhere)
  expect((await as('owner', '/recipient-changes')).json).toHaveLength(1)
  expect((await as('other-owner', '/recipient-changes')).json).toEqual([])
  expect((await as('other-owner', '/recipient-hold')).json).toEqual({ hold: null, next: null })
  const known = (await store.organizations.load('org_a'))!
  const { recipientHold: _, ...plain } = known
  await store.organizations.save(plain)
  expect((await put(third)).status).toBe(200)
})
