import { expect, test } from 'bun:test'
import { memoryRecords } from '../../src/adapters/memory-records'
import { intake } from '../../src/detection/intake/intake'
import type { Sighting } from '../../src/domain/deposit/sighting'
import { newExecution } from '../../src/domain/execution/execution'
import { eventsOf, eventsOfSighting } from '../../src/http/views/event'
import { account, executionOf, token } from '../support/deposits'

const slowMs = 4_000

/** An intake whose store takes the given time for each write, or loses the response. */
function slowStore(...writes: (number | 'LOST')[]) {
  const clock = { now: 1_000_000 }
  const stored = memoryRecords<Sighting>()
  const sightings = {
    ...stored,
    async save(sighting: Sighting) {
      const takes = writes.shift() ?? 0
      if (takes === 'LOST') clock.now += slowMs
      else clock.now += takes
      const saved = await stored.save(sighting)
      if (takes === 'LOST') throw new Error('No answer')
      return saved
    },
  }
  const takenIn = intake({
    sightings,
    tokens: { find: () => ({ symbol: 'USDC', decimals: 6 }), isNative: () => false },
    telemetry: { work: (_: unknown, run: () => unknown) => run() },
    now: () => clock.now,
  } as never)
  const transfer = {
    token,
    to: account,
    from: '0x00000000000000000000000000000000000000f1',
    amountRaw: 5n,
    txHash: '0x01',
    logIndex: 0,
    block: 1,
    blockHash: '0xb1',
  }
  const holder = { id: account, organizationId: 'org_1', userId: 'user-1' }
  const see = (detector: 'WEBHOOK' | 'SCANNER') => takenIn.seen(8453, transfer as never, holder as never, detector)
  /** The times of its events, as the list shows them. */
  async function times(): Promise<number[]> {
    const sighting = (await stored.load('8453:0x01:0'))!
    const { id, detectedAt, stage } = sighting
    const found = { id, detectedAt, stage, sighting, execution: null, newest: null } as never
    return eventsOfSighting(found, 0, Number.POSITIVE_INFINITY).map(({ at }) => at)
  }
  return { see, times, takenIn, stored, clock }
}

test('a slowly stored sighting gets an event time that no reader of the list has passed', async () => {
  const { see, times, clock } = slowStore(slowMs, slowMs, 100)
  expect(await see('WEBHOOK')).toBe('STORED')
  expect(await times()).toEqual([clock.now - 100])
})

test('a sighting whose write lost its response is reported again when its transfer is seen again', async () => {
  const { see, times, clock } = slowStore('LOST')
  await expect(see('WEBHOOK')).rejects.toThrow('No answer')
  clock.now += 60_000
  await see('SCANNER')
  expect(await times()).toEqual([clock.now])
})

test('a slowly stored dropped transfer gets a later event time, and its detection keeps its time', async () => {
  const { see, times, takenIn, stored, clock } = slowStore(0, slowMs)
  const seenAt = clock.now
  await see('WEBHOOK')
  await takenIn.orphaned((await stored.load('8453:0x01:0'))!)
  expect(await times()).toEqual([seenAt, clock.now])
})

test('a promptly stored sighting keeps its time when others see it later', async () => {
  const { see, times, clock } = slowStore()
  const seenAt = clock.now
  await see('WEBHOOK')
  clock.now += 60_000
  await see('SCANNER')
  expect(await times()).toEqual([seenAt])
})

test('a deposit’s event has the time of its record if it was unseen before, and the time of its sighting otherwise', () => {
  const { id, deposit, organizationId, userId } = executionOf(1)
  const found = { id, organizationId, userId, deposit: { ...deposit, detectedAt: 1_000 }, machineVersion: '1' }
  const placeOf = (isUnseen: boolean) =>
    eventsOf(newExecution({ ...found, isUnseen }, 9_000), 0, Number.POSITIVE_INFINITY).map(({ at }) => at)
  expect(placeOf(true)).toEqual([9_000])
  expect(placeOf(false)).toEqual([1_000])
})
