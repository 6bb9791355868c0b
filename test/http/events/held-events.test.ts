import { expect, test } from 'bun:test'
import type { RecipientHold } from '../../../src/domain/tenant/recipient-hold'
import { heldChangesTask } from '../../../src/intents/held-changes'
import { membersWorld } from '../../dashboard/sign-in/members-world'
import { aloneIn } from '../../support/alone'
import { seals } from '../../support/seals'
import { target } from '../world'
import { streaming, untilReceived } from './streaming'

type Told = { id: string; type: string; timestamp: string; seq: null; data: Record<string, unknown> }
const hour = 3_600_000
const second = '0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C'
const third = '0x9F2079ab06Cfa943B47c781c2dba3dC5A14723Fa'

/** An organization with a safeguard for recipient changes, and a user with an intent. */
async function holding(hold: RecipientHold) {
  const world = await membersWorld()
  const { ask, client, clock, store } = world
  const put = (body: object) =>
    ask('/api/deposit-intents', { key: client, body: { userId: 'ann', ...target, ...body } })
  const { json: intent } = await put({})
  const known = (await store.organizations.load('org_a'))!
  await store.organizations.save({ ...known, recipientHold: { hold, next: null } })
  /** Events about pending changes, once they are old enough to be listed. */
  const told = async (key = client, query = '?types=intent.change_held'): Promise<Told[]> => {
    clock.now += 6_000
    return (await ask(`/api/events${query}`, { key })).json as Told[]
  }
  const onTrouble = (error: unknown) => {
    throw error
  }
  const now = () => clock.now
  const { round } = heldChangesTask({ ...store, alone: aloneIn(store.semaphoreRecords, now), seals, now, onTrouble })
  return { ...world, put, intent, told, apply: round }
}

test('a pending change is reported with the request and its effective time, along with the current intent', async () => {
  const { put, intent, told, clock } = await holding({ kind: 'DELAY', hours: 24 })
  clock.now += 1_000
  const at = clock.now
  expect((await put({ targetAddress: second, refundAddress: third })).status).toBe(409)
  const [event, ...more] = await told()
  expect(more).toEqual([])
  expect(event).toMatchObject({ type: 'intent.change_held', timestamp: new Date(at).toISOString(), seq: null })
  const { targetChainId, targetChainKey, targetTokenAddress } = intent
  const change = { targetChainId, targetChainKey, targetTokenAddress, targetAddress: second, refundAddress: third }
  const takesEffectAt = new Date(at + 24 * hour).toISOString()
  expect(event!.data).toEqual({
    ...{ ...intent, version: 1, previous: null },
    change: { ...change, hold: 'DELAY', takesEffectAt },
  })
})

test('a repeated request is no new event, and a different request is one, even within a millisecond', async () => {
  const { put, told } = await holding({ kind: 'APPROVAL' })
  for (const targetAddress of [second, second, third, third, second]) await put({ targetAddress })
  const all = await told()
  const asked = all.map(({ data }) => data['change'] as Record<string, unknown>)
  expect(asked.map(({ targetAddress }) => targetAddress)).toEqual([second, third, second])
  expect(asked.map(({ hold, takesEffectAt }) => [hold, takesEffectAt])).toEqual(Array(3).fill(['APPROVAL', null]))
  expect(new Set(all.map(({ id }) => id)).size).toBe(3)
})

test('approval, withdrawal or application of the change leaves the event unchanged', async () => {
  const by: Record<string, (world: Awaited<ReturnType<typeof holding>>) => Promise<unknown>> = {
    approved: ({ as, intent }) =>
      as('owner', `/recipient-changes/${intent.depositAddress}/approve`, { body: { version: '1' } }),
    withdrawn: ({ as, intent }) =>
      as('owner', `/recipient-changes/${intent.depositAddress}?version=1`, { method: 'DELETE' }),
    'come into effect': async ({ clock, apply }) => {
      clock.now += 24 * hour
      await apply()
    },
  }
  for (const [how, end] of Object.entries(by)) {
    const world = await holding(how === 'approved' ? { kind: 'APPROVAL' } : { kind: 'DELAY', hours: 24 })
    await world.put({ targetAddress: second })
    const before = await world.told()
    expect(before).toHaveLength(1)
    await end(world)
    expect([how, await world.told()]).toEqual([how, before])
    const updated = await world.told(world.client, '?types=intent.updated')
    expect([how, updated.map(({ data }) => data['targetAddress'])]).toEqual([how, how === 'withdrawn' ? [] : [second]])
  }
})

test('the event goes to the organization, by user if filtered, and to the platform with the organization’s id', async () => {
  const { put, told, client, stranger, platform } = await holding({ kind: 'APPROVAL' })
  await put({ targetAddress: second })
  expect(await told(client, '?types=intent.change_held&userId=ann')).toHaveLength(1)
  expect(await told(client, '?types=intent.change_held&userId=bob')).toEqual([])
  const types = (await told(client, '')).map(({ type }) => type)
  expect(types.toSorted()).toEqual(['intent.change_held', 'intent.created'])
  expect(await told(stranger)).toEqual([])
  expect((await told(platform)).map(({ data }) => data['organizationId'])).toEqual(['org_a'])
})

test('the stream sends the event once, with the id of the list, to its organization only', async () => {
  const { open, ask, client, stranger, store } = await streaming()
  const put = (body: object) =>
    ask('/api/deposit-intents', { key: client, body: { userId: 'ann', ...target, ...body } })
  const known = (await store.organizations.load('org_a'))!
  await store.organizations.save({ ...known, recipientHold: { hold: { kind: 'APPROVAL' }, next: null } })
  const [ours, theirs] = [await open(client), await open(stranger)]
  await untilReceived('all streams are open', () =>
    [ours, theirs].every(({ received }) => received.text.startsWith('retry: 3000')),
  )
  await put({})
  expect((await put({ targetAddress: second })).status).toBe(409)
  const ids = (text: string) => [...text.matchAll(/^id: (evt_\w+)\nevent: intent/gm)].map(([, id]) => id!)
  await untilReceived('two events', () => ids(ours.received.text).length === 2)
  const listed = ((await ask('/api/events', { key: client })).json as Told[]).map(({ id }) => id)
  expect(ids(ours.received.text)).toEqual(listed)
  expect(ids(theirs.received.text)).toEqual([])
})
