import { expect, test } from 'bun:test'
import { clockDifference, databaseClock } from '../../src/adapters/clock'

test('clock: a large difference from the database’s clock is corrected, and a small one stays', async () => {
  const real = performance.now
  performance.now = () => 5_000 // reading the database's clock takes no time
  try {
    let ahead = 1_000_000
    const clock = await databaseClock(async () => performance.now() + ahead)
    const behindBy = () => performance.now() + ahead - clock.now()
    expect(behindBy()).toBe(0)

    ahead += 3_600_000 // this machine slept for an hour
    expect(behindBy()).toBe(3_600_000)
    expect(await clock.keep()).toBe(3_600_000)
    expect(behindBy()).toBe(0)

    ahead += 500
    expect(await clock.keep()).toBe(500)
    expect(behindBy()).toBe(500)
  } finally {
    performance.now = real
  }
})

test('clock: a response that took too long corrects nothing, whichever direction was slow', async () => {
  const real = performance.now
  const [took, wall, monotonic] = [{ there: 1, back: 1 }, { ahead: 1_000_000 }, { at: real.call(performance) }]
  performance.now = () => monotonic.at
  try {
    const asked = async () => {
      monotonic.at += took.there
      const time = monotonic.at + wall.ahead
      monotonic.at += took.back
      return time
    }
    const clock = await databaseClock(asked)
    const offMs = () => Math.abs(clock.now() - monotonic.at - wall.ahead)
    const wrong: object[] = []
    // Columns: milliseconds there and back, the difference between the clocks, whether it is corrected.
    for (const [there, back, apart, isCorrected] of [
      [6_000, 1, 0, false], // a failover and a repeated read
      [1, 6_000, 0, false], // the process was stopped before it read the response
      [1, 300_000, 0, false],
      [6_000, 6_000, 3_600_000, false],
      [1, 1, 3_600_000, true],
      [900, 900, 5_000, true],
      [1, 1, 1_500, false], // too little to correct
    ] as const) {
      Object.assign(took, { there, back })
      wall.ahead += apart
      const drift = await clock.keep()
      if (there + back > 2_000 && drift !== null) wrong.push({ there, back, drift })
      if (isCorrected ? offMs() > 1 : Math.abs(offMs() - apart) > 1) wrong.push({ there, back, apart, offMs: offMs() })
      Object.assign(took, { there: 1, back: 1 })
      wall.ahead += 10_000
      await clock.keep() // start the next row with a correct clock
    }
    expect(wrong).toEqual([])

    // At the start, the query is repeated until a response is fast enough.
    const waits = [9_000, 1, 5_000]
    const started = await databaseClock(async () => {
      const time = monotonic.at + wall.ahead
      monotonic.at += waits.shift() ?? 1
      return time
    })
    expect(waits).toEqual([5_000])
    expect(Math.abs(started.now() - monotonic.at - wall.ahead)).toBeLessThan(2)
    const found = await clockDifference(asked, () => monotonic.at)
    expect(found.aheadMs).toBeCloseTo(wall.ahead)
    expect(found.errorMs).toBe(1)
  } finally {
    performance.now = real
  }
})
