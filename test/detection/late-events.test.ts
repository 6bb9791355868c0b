import { expect, test } from 'bun:test'
import { memoryRecords } from '../../src/adapters/memory-records'
import { intake } from '../../src/detection/intake/intake'
import type { Sighting } from '../../src/domain/deposit/sighting'
import { newExecution } from '../../src/domain/execution/execution'
import { eventsOf, eventsOfSighting } from '../../src/http/views/event'
import { account, executionOf, token } from '../support/deposits'

const slowMs = 4_000

/** An intake whose store takes as long for each write as the next number says, or loses the answer of a write. */
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
  /** The times of its events, as the list would tell them. */
  async function times(): Promise<number[]> {
    const sighting = (await stored.load('8453:0x01:0'))!
    const { id, detectedAt, stage } = sighting
    const found = { id, detectedAt, stage, sighting, execution: null, newest: null } as never
    return eventsOfSighting(found, 0, Number.POSITIVE_INFINITY).map(({ at }) => at)
  }
  return { see, times, takenIn, stored, clock }
}

test('a sighting that took long to store is told at a time that no reader of the list has passed', async () => {
  const { see, times, clock } = slowStore(slowMs, slowMs, 100)
  expect(await see('WEBHOOK')).toBe('STORED')
  expect(await times()).toEqual([clock.now - 100])
})

test('a sighting whose write lost its answer is told anew once its transfer is seen again', async () => {
  const { see, times, clock } = slowStore('LOST')
  await expect(see('WEBHOOK')).rejects.toThrow('No answer')
  clock.now += 60_000
  await see('SCANNER')
  expect(await times()).toEqual([clock.now])
})

test('a dropped transfer that took long to note is told at a later time, and its detection where it was', async () => {
  const { see, times, takenIn, stored, clock } = slowStore(0, slowMs)
  const seenAt = clock.now
  await see('WEBHOOK')
  await takenIn.orphaned((await stored.load('8453:0x01:0'))!)
  expect(await times()).toEqual([seenAt, clock.now])
})

test('a sighting that is stored soon keeps the time at which it was seen, whoever sees it later', async () => {
  const { see, times, clock } = slowStore()
  const seenAt = clock.now
  await see('WEBHOOK')
  clock.now += 60_000
  await see('SCANNER')
  expect(await times()).toEqual([seenAt])
})

test('a deposit that nobody saw before it was confirmed is told when its record is stored, and another when it was seen', () => {
  const { id, deposit, organizationId, userId } = executionOf(1)
  const found = { id, organizationId, userId, deposit: { ...deposit, detectedAt: 1_000 }, machineVersion: '1' }
  const placeOf = (isUnseen: boolean) =>
    eventsOf(newExecution({ ...found, isUnseen }, 9_000), 0, Number.POSITIVE_INFINITY).map(({ at }) => at)
  expect(placeOf(true)).toEqual([9_000])
  expect(placeOf(false)).toEqual([1_000])
})
