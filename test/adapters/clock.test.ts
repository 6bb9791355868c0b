import { expect, test } from 'bun:test'
import { databaseClock } from '../../src/adapters/clock'

test('clock: what has come apart from the database follows it, small differences stay', async () => {
  let ahead = 1_000_000
  const clock = await databaseClock(async () => performance.now() + ahead)
  const differs = () => Math.abs(clock.now() - performance.now() - ahead)
  expect(differs()).toBeLessThan(50)

  ahead += 3_600_000 // this machine slept for an hour
  expect(differs()).toBeGreaterThan(3_500_000)
  expect(Math.abs(await clock.keep())).toBeGreaterThan(3_500_000)
  expect(differs()).toBeLessThan(50)

  ahead += 500
  await clock.keep()
  expect(differs()).toBeGreaterThan(400)
})
