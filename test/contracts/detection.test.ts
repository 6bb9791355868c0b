import { describe, expect, test } from 'bun:test'
import { executionOf, hashOf, sightingOf } from '../support/deposits'
import { stores } from '../support/stores'

describe.each(stores)('detection %s', (_name, open) => {
  test('what is not confirmed comes by chain, up to a block, lowest first', async () => {
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

  test('of two scanners with one cursor one moves it', async () => {
    const { store, other } = await open()
    const begun = { id: 'base', version: 0, scannedBlock: 7, scannedBlockHash: hashOf(7), updatedAt: 1 }
    const read = (await store.scanCursors.save(begun))!
    const moved = await Promise.all(
      [store, other].map(({ scanCursors }) => scanCursors.save({ ...read, scannedBlock: 9 })),
    )
    expect(moved.filter((cursor) => cursor !== null)).toHaveLength(1)
  })

  test('a deposit that two detectors confirm is one record', async () => {
    const { store, other } = await open()
    const saved = await Promise.all([store, other].map(({ executions }) => executions.save(executionOf(1))))
    expect(saved.filter((record) => record !== null)).toHaveLength(1)
  })
})
