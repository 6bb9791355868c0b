import { describe, expect, test } from 'bun:test'
import type { Hash } from '../../src/domain/chain/hex'
import type { Execution } from '../../src/domain/execution/execution'
import type { DepositFilter } from '../../src/ports/queries'
import type { PagePosition } from '../../src/ports/records'
import { addressOf, executionOf, hashOf, sightingOf } from '../support/deposits'
import { detailed, idOf, openedWith, shown, whose } from '../support/query-records'
import { stores } from '../support/stores'
import { testAll } from '../support/test-all'

describe.each(stores)('deposit queries %s', (_name, open) => {
  const opened = (...records: Execution[]) => openedWith(open, records)

  const waiting = (n: number, reason: string) =>
    executionOf(n, { facts: { waiting: { for: reason, since: 1 } as never } }, { detectedAt: n })
  const everyStage = async () => {
    const context = await opened(
      waiting(1, 'INTENT'),
      waiting(2, 'LANE'),
      waiting(3, 'PAUSE'),
      waiting(4, 'GAS'),
      executionOf(5, {}, { detectedAt: 5 }),
      shown(6),
      shown(7, { refundOf: idOf(6) }),
      { ...shown(8, { redriveOf: idOf(6) }), id: `${idOf(6)}:r1` },
    )
    const { sightings } = context.store
    await sightings.save(sightingOf(9, { detectedAt: 9 }))
    await sightings.save(sightingOf(10, { detectedAt: 10, stage: 'ORPHANED' }))
    await sightings.save(sightingOf(11, { detectedAt: 11, stage: 'CONFIRMED' }))
    await sightings.save(sightingOf(6, { detectedAt: 6 }))
    return context
  }

  testAll<[DepositFilter['stage'], number[]]>([
    [undefined, [10, 9, 7, 6, 5, 4, 3, 2, 1]],
    [['WAITING_FOR_INTENT'], [1]],
    [['QUEUED'], [2]],
    [['PAUSED'], [3]],
    [['ROUTING'], [5, 4]],
    [['ROUTED'], [6]],
    [['RETURNED'], [7]],
    [['CONFIRMING'], [9]],
    [
      ['ORPHANED', 'QUEUED'],
      [10, 2],
    ],
  ])('deposits are found by stage', async (stage, expected) => {
    const { deposits, store } = await everyStage()
    expect(await deposits({ stage })).toEqual(expected.map(idOf))
    for (const n of expected)
      expect((await store.depositQueries.find(whose, idOf(n)))?.stage).toBeOneOf([...(stage ?? [expect.anything()])])
  })

  test('a dropped transfer names only the deposit that replaced it', async () => {
    const { store } = await opened()
    const { sightings, executions, depositQueries } = store
    await sightings.save(sightingOf(1, { stage: 'ORPHANED' }))
    const ends = async () => {
      const one = await depositQueries.find(whose, idOf(1))
      const listed = await depositQueries.list({ ...whose, stage: ['ORPHANED'] }, { limit: 10 })
      expect(listed).toContainEqual(one!)
      return one!.sighting?.stage === 'ORPHANED' ? one!.sighting.movedTo : undefined
    }
    const at = (logIndex: number) => `8453:${hashOf(1)}:${logIndex}`
    expect(await ends()).toBeNull()
    await sightings.save({ ...sightingOf(1, { amountRaw: '999' }), id: at(1), logIndex: 1 })
    await sightings.save({ ...sightingOf(1, { account: addressOf(0xad) }), id: at(2), logIndex: 2 })
    await sightings.save({ ...sightingOf(1, { stage: 'ORPHANED' }), id: at(3), logIndex: 3 })
    expect(await ends()).toBeNull()
    await executions.save({ ...executionOf(1, {}, { logIndex: 4 }), id: at(4) })
    expect(await ends()).toBe(at(4))
    await sightings.save({ ...sightingOf(1), id: at(1).replace(/1$/, '0x'), logIndex: 5 })
    expect(await ends()).toBe(at(1).replace(/1$/, '0x'))
  })

  test('a deposit of a balance sweep is found only by the transactions that a node named for it', async () => {
    const { store } = await opened()
    const paidIn = [hashOf(71), hashOf(72)]
    await store.executions.save(executionOf(70, {}, { txHash: null, logIndex: null, paidIn }))
    const idsBy = async (txHash: Hash) =>
      (await store.depositQueries.list({ ...whose, txHash }, { limit: 10 })).map(({ id }) => id)
    const found = await Promise.all([...paidIn, hashOf(73)].map(idsBy))
    expect(found).toEqual([[idOf(70)], [idOf(70)], []])
  })

  test('lists of deposits page through both kinds by position', async () => {
    const { deposits, store } = await everyStage()
    const all = await deposits({})
    const met: string[] = []
    let after: PagePosition | undefined
    for (let n = 0; n < 5; n++) {
      const page = await store.depositQueries.list(whose, { limit: 2, after })
      met.push(...page.map(({ id }) => id))
      const last = page.at(-1)
      if (last) after = { createdAt: last.detectedAt, id: last.id }
    }
    expect(met).toEqual(all)
    expect(await deposits({}, { limit: 3, offset: 1 })).toEqual(all.slice(1, 4))
  })

  test('lists of deposits begin with the oldest on request, and page through both kinds', async () => {
    const { deposits, store } = await everyStage()
    const all = (await deposits({})).toReversed()
    const met: string[] = []
    let after: PagePosition | undefined
    for (let n = 0; n < 5; n++) {
      const page = await store.depositQueries.list(whose, { limit: 2, after, isOldestFirst: true })
      met.push(...page.map(({ id }) => id))
      const last = page.at(-1)
      if (last) after = { createdAt: last.detectedAt, id: last.id }
    }
    expect(met).toEqual(all)
  })

  test('deposits are found by their funding transaction, and by no other transaction of their execution', async () => {
    const { deposits } = await opened(detailed)
    expect(await deposits({ txHash: hashOf(2), fromChainId: 8453, fromTokenAddress: addressOf(0x70) })).toEqual([
      detailed.id,
    ])
    expect(await deposits({ txHash: hashOf(0xa1) })).toEqual([])
    expect(await deposits({ depositAddress: addressOf(0xac), userId: 'user-1' })).toEqual([detailed.id])
    expect(await deposits({ organizationId: 'org_2', txHash: hashOf(2) })).toEqual([])
  })
})
