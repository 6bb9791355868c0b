import { expect, test } from 'bun:test'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { intake } from '../../src/detection/intake/intake'
import type { Sighting } from '../../src/domain/deposit/sighting'
import { hashOf, sightingOf } from '../support/deposits'
import { recordsOf } from '../support/records'

test('a sighting is orphaned only from the block that it was read in, not from one that it has moved to since', async () => {
  const read = sightingOf(1, { block: 1, blockHash: hashOf(1) })
  const moved = { ...read, version: 1, block: 2, blockHash: hashOf(2) }
  const sightings = recordsOf<Sighting>('sightings', moved)
  const { orphaned } = intake({ sightings, telemetry: noTelemetry, now: () => 5 } as never)

  await orphaned(read)
  expect(sightings.get(read.id)).toEqual(moved)
  await orphaned(moved)
  expect(sightings.get(read.id)).toMatchObject({ stage: 'ORPHANED', orphanedAt: [5] })
})
