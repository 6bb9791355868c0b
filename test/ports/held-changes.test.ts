import { describe, expect, test } from 'bun:test'
import type { DepositIntent } from '../../src/domain/deposit/deposit-intent'
import { type HeldChange, sealedChange } from '../../src/domain/deposit/held-change'
import { isSealed, sealedForSaving } from '../../src/domain/seals'
import { heldChangesTask } from '../../src/intents/held-changes'
import { aloneIn } from '../support/alone'
import { addressOf } from '../support/deposits'
import { seals } from '../support/seals'
import { stores } from '../support/stores'

const begun = Date.UTC(2026, 10, 21, 10)
const hour = 3_600_000
const [from, to, token] = [addressOf(0xa), addressOf(0xb), addressOf(0xc)]
const whose = { organizationId: 'org_1', userId: 'ann' }
const going = { targetChainId: 42161, targetTokenAddress: token, refundAddress: null } as const

const intentOf = (n: number): DepositIntent => ({
  ...{ id: addressOf(n), version: 0, ...whose, ...going, targetAddress: from, apiKeyId: 'key_1' },
  ...{ protocolFeeBps: 0, sponsoredGas: false, createdAt: begun, updatedAt: begun, seal: null },
})
const changeOf = (n: number, changed: Partial<HeldChange> = {}): HeldChange =>
  sealedChange(seals, {
    ...{ id: addressOf(n), version: 0, ...whose, target: { ...going, targetAddress: to }, of: 1, personId: null },
    ...{ askedBy: { kind: 'API_KEY', id: 'key_1', label: 'client' }, askedAt: begun, from: begun + hour },
    ...{ state: 'WAITING', seal: null },
    ...changed,
  })

describe.each(stores)('changes of recipients that are held back, %s', (_, open) => {
  test('are listed while pending, newest first by organization, and across all organizations when due', async () => {
    const { store } = await open()
    for (const change of [
      changeOf(1, { from: begun + 2, askedAt: begun + 1 }),
      changeOf(2, { from: null, askedAt: begun + 2 }),
      changeOf(3, { from: begun + 1, state: 'APPLYING' }),
      changeOf(4, { from: begun, organizationId: 'org_2' }),
      changeOf(5, { from: begun, state: 'DONE' }),
      changeOf(6, { from: begun, state: 'WITHDRAWN' }),
      changeOf(7, { from: begun + 3 }),
    ])
      expect(await store.heldChanges.save(change)).toMatchObject({ version: 1 })
    const ids = (changes: HeldChange[]) => changes.map(({ id }) => Number(id))
    expect(ids(await store.heldChanges.waiting('org_1'))).toEqual([2, 1, 7])
    expect(ids(await store.heldChanges.waiting('org_2'))).toEqual([4])
    expect(ids(await store.heldChanges.due(begun + 2, 9))).toEqual([4, 3, 1])
    expect(ids(await store.heldChanges.due(begun + 2, 1))).toEqual([4])
    expect(await store.heldChanges.load(addressOf(1))).toEqual(
      changeOf(1, { from: begun + 2, askedAt: begun + 1, version: 1 }),
    )
  })

  test('are reported unchanged to their organization, whatever happens to them later', async () => {
    const { store, other } = await open()
    const asked = [
      changeOf(1),
      changeOf(1, { askedAt: begun + 1, from: null, target: { ...going, targetAddress: from } }),
      changeOf(2, { askedAt: begun + 2, organizationId: 'org_2' }),
      changeOf(3, { askedAt: begun + 3 }),
    ]
    const facts = asked.map(({ id, organizationId, userId, target, of, askedAt, from }) => {
      return { id, organizationId, userId, target, of, askedAt, from }
    })
    for (const change of asked) {
      const known = await store.heldChanges.load(change.id)
      await store.heldChanges.save({ ...change, version: known?.version ?? 0 })
    }
    const accounts = [...new Set(facts.map(({ id }) => id))]
    const told = async () =>
      (await Promise.all(accounts.map(other.heldChanges.requestedOf))).flat().toSorted((a, b) => a.askedAt - b.askedAt)
    expect(await told()).toEqual(facts)
    for (const state of ['APPLYING', 'DONE'] as const)
      for (const id of [addressOf(1), addressOf(3)]) {
        const known = (await store.heldChanges.load(id))!
        await store.heldChanges.save(sealedChange(seals, { ...known, from: begun + 5, state }))
      }
    expect(await told()).toEqual(facts)
    expect(await other.heldChanges.requestedOf(addressOf(9))).toEqual([])
  })

  test('apply once across several processes, and a simultaneous withdrawal succeeds or fails completely', async () => {
    const { store, other } = await open()
    const accounts = [1, 2, 3, 4, 5, 6]
    for (const n of accounts) {
      await store.intents.save(sealedForSaving(seals, intentOf(n)))
      await store.heldChanges.save(changeOf(n))
    }
    const troubles: unknown[] = []
    const now = () => begun + hour
    const onTrouble = (error: unknown) => void troubles.push(error)
    const processOf = (ports: typeof store) =>
      heldChangesTask({ ...ports, alone: aloneIn(ports.semaphoreRecords, now), seals, now, onTrouble })
    const withdrawn = async (n: number) => {
      const known = (await store.heldChanges.load(addressOf(n)))!
      return known.state === 'WAITING' && (await store.heldChanges.save({ ...known, state: 'WITHDRAWN' })) !== null
    }
    const [isFirst, isSecond] = await Promise.all([
      withdrawn(5),
      withdrawn(6),
      processOf(store).round(),
      processOf(other).round(),
    ])
    await processOf(other).round()
    expect(troubles).toEqual([])
    for (const n of accounts) {
      const isWithdrawn = (n === 5 && isFirst) || (n === 6 && isSecond)
      const intent = (await store.intents.load(addressOf(n)))!
      expect([n, intent.targetAddress, intent.version, isSealed(seals, intent)]).toEqual(
        isWithdrawn ? [n, from, 1, true] : [n, to, 2, true],
      )
      expect((await store.heldChanges.load(addressOf(n)))!.state).toBe(isWithdrawn ? 'WITHDRAWN' : 'DONE')
    }
    expect(await store.heldChanges.due(begun + hour, 9)).toEqual([])
  })
})
