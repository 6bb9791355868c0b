import { describe, expect, test } from 'bun:test'
import { getAddress } from 'viem'
import type { Address } from '../../src/domain/chain/hex'
import { type Unsupported, unsupportedIdOf, unsupportedOf, withCounted } from '../../src/domain/deposit/unsupported'
import { depositIdOf, sweptDepositIdOf } from '../../src/domain/execution/execution'
import { laneId } from '../../src/domain/execution/lane'
import { executionOf, hashOf, sightingOf } from '../support/deposits'
import { stores } from '../support/stores'

const otherAccount: Address = '0x00000000000000000000000000000000000000B2'

function unsupportedRecord(n: number, changes: Partial<Unsupported> = {}): Unsupported {
  const { organizationId, userId, account } = sightingOf(1)
  const token = `0x${n.toString(16).padStart(40, '0')}` as Address
  const of = { organizationId, userId, account: changes.account ?? account, chainId: 8453 as const, token }
  const transfer = { txHash: hashOf(500 + n), logIndex: 0, block: 20, fromAddress: otherAccount, amountRaw: '7' }
  return { ...withCounted(unsupportedOf(of, false, 1_000 + n), [transfer], 30, -1), ...changes }
}
const othersId = unsupportedIdOf(8453, sightingOf(1).account, 'others')

describe.each(stores)('detection %s', (_name, open) => {
  test('unconfirmed transfers are listed by chain, up to a block, lowest first', async () => {
    const { sightings } = (await open()).store
    await sightings.save(sightingOf(1, { block: 9 }))
    await sightings.save(sightingOf(2, { block: 5 }))
    await sightings.save(sightingOf(3, { block: 10 }))
    await sightings.save(sightingOf(4, { block: 5, stage: 'ORPHANED' }))
    await sightings.save(sightingOf(5, { block: 5, chainId: 137 }))
    const found = await sightings.confirming(8453, 9)
    expect(found).toEqual([
      { ...sightingOf(2, { block: 5 }), version: 1 },
      { ...sightingOf(1, { block: 9 }), version: 1 },
    ])
  })

  test('only one of two scanners with the same cursor moves it', async () => {
    const { store, other } = await open()
    const begun = { id: 'base', version: 0, scannedBlock: 7, scannedBlockHash: hashOf(7), updatedAt: 1 }
    const read = (await store.scanCursors.save(begun))!
    const moved = await Promise.all(
      [store, other].map(({ scanCursors }) => scanCursors.save({ ...read, scannedBlock: 9 })),
    )
    expect(moved.filter((cursor) => cursor !== null)).toHaveLength(1)
  })

  test('a deposit confirmed by two detectors is one record', async () => {
    const { store, other } = await open()
    const saved = await Promise.all([store, other].map(({ executions }) => executions.save(executionOf(1))))
    expect(saved.filter((record) => record !== null)).toHaveLength(1)
  })

  describe('deposits of tokens on no list', () => {
    const wanted = { wantedTo: 5, dueAt: 10 }

    test('are counted by account and chain, up to the number that matters', async () => {
      const { unsupported } = (await open()).store
      for (const n of [1, 2, 3]) await unsupported.save(unsupportedRecord(n))
      await unsupported.save(unsupportedRecord(4, { account: otherAccount }))
      const { account } = unsupportedRecord(1)
      expect(await unsupported.countOf(account, 8453, 10)).toBe(3)
      expect(await unsupported.countOf(account, 8453, 2)).toBe(2)
      expect(await unsupported.countOf(account, 137, 10)).toBe(0)
    })

    test('are listed when due for judging or pointed at, by chain, earliest first', async () => {
      const { unsupported } = (await open()).store
      await unsupported.save(unsupportedRecord(1))
      await unsupported.save(unsupportedRecord(2, { ...wanted, dueAt: 9 }))
      await unsupported.save(unsupportedRecord(3, { ...wanted, dueAt: 7 }))
      await unsupported.save(unsupportedRecord(4, { ...wanted, dueAt: 11 }))
      await unsupported.save(unsupportedRecord(5, { judgeAt: 3 }))
      await unsupported.save(unsupportedRecord(6, { judgeAt: 11 }))
      await unsupported.save(unsupportedRecord(7, { pointedFrom: 3 }))
      await unsupported.save(unsupportedRecord(8, { pointedFrom: 0 }))
      const idsOf = (found: { id: string }[]) => found.map(({ id }) => id)
      const id = (n: number) => unsupportedRecord(n).id
      expect(idsOf(await unsupported.due(8453, 10, 10))).toEqual([id(3), id(2)])
      expect(idsOf(await unsupported.due(8453, 10, 1))).toEqual([id(3)])
      expect(await unsupported.due(137, 10, 10)).toEqual([])
      expect(idsOf(await unsupported.unjudged(8453, 10, 10))).toEqual([id(5)])
      expect(idsOf(await unsupported.pointedAt(8453, 3, 10))).toEqual([id(8), id(7)])
    })

    test('the executions decide which transfers of a record are routed', async () => {
      const { unsupported, executions } = (await open()).store
      const record = unsupportedRecord(1)
      const { account, token, chainId } = record
      const lane = laneId(account, chainId, token)
      const deposit = { ...executionOf(1).deposit, lane, account, token, chainId }
      const ofFind = (n: number, block: number) =>
        executionOf(n, {
          id: sweptDepositIdOf(chainId, account, token, n),
          deposit: { ...deposit, txHash: null, logIndex: null, block },
        })
      for (const each of [ofFind(1, 5), ofFind(2, 9)]) await executions.save(each)
      const newest = record.newest[0]!
      const id = depositIdOf(chainId, newest.txHash, newest.logIndex)
      await executions.save(executionOf(3, { id, deposit: { ...deposit, ...newest, block: 20 } as never }))
      const [one, none] = await unsupported.routedOf([record, unsupportedRecord(2)])
      expect(one).toMatchObject({ sweptTo: 9, executionId: ofFind(2, 9).id })
      expect([...one!.recorded]).toContain(id)
      expect(none).toMatchObject({ sweptTo: -1, executionId: null })
    })

    test('are listed by stage, token or transaction on request, for their own tenant only', async () => {
      const { unsupported, depositQueries, sightings } = (await open()).store
      const tenant = { organizationId: unsupportedRecord(1).organizationId }
      await sightings.save(sightingOf(9))
      for (const n of [1, 2, 3]) await unsupported.save(unsupportedRecord(n))
      const { token, newest } = unsupportedRecord(2)
      const shared: Address = '0x00000000000000000000000000000000000000f9'
      const others = { ...unsupportedRecord(4, { others: [shared] }), id: othersId }
      await unsupported.save(others)
      const list = async (filter: object, limit = 10) =>
        (await depositQueries.list({ ...tenant, ...filter }, { limit })).map(({ id, stage }) => `${stage} ${id}`)
      const idOf = (n: number) => `UNSUPPORTED ${unsupportedRecord(n).id}`
      expect(await list({})).toEqual([`CONFIRMING ${sightingOf(9).id}`])
      expect(await list({ stage: ['UNSUPPORTED'] })).toEqual([`UNSUPPORTED ${othersId}`, idOf(3), idOf(2), idOf(1)])
      expect(await list({ stage: ['UNSUPPORTED'], userId: 'nobody' })).toEqual([])
      expect(await list({ fromTokenAddress: token })).toEqual([idOf(2)])
      expect(await list({ txHash: newest[0]!.txHash })).toEqual([idOf(2)])
      const ofShared = `UNSUPPORTED ${unsupportedIdOf(8453, others.account, shared)}`
      expect(await list({ fromTokenAddress: shared })).toEqual([ofShared])
      expect(await list({ stage: ['UNSUPPORTED'], organizationId: 'another' })).toEqual([])
      expect(await list({ stage: ['UNSUPPORTED'], organizationId: null }, 2)).toHaveLength(2)
      const found = await depositQueries.find(tenant, unsupportedIdOf(8453, others.account, shared))
      expect(found).toMatchObject({ stage: 'UNSUPPORTED', sighting: { token: getAddress(shared), amountRaw: '0' } })
      expect(await depositQueries.find({ organizationId: 'another' }, unsupportedRecord(1).id)).toBeNull()
    })
  })
})
