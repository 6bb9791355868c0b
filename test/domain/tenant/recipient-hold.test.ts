import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { effectiveAt, holdAt, type RecipientHold, withHold } from '../../../src/domain/tenant/recipient-hold'

const hour = 3_600_000
const hold = fc.oneof(
  fc.constant(null),
  fc.constant<RecipientHold>({ kind: 'APPROVAL' }),
  fc.integer({ min: 1, max: 168 }).map((hours): RecipientHold => ({ kind: 'DELAY', hours })),
)

test('the first safeguard applies immediately, and so does a stricter one', () => {
  const first = withHold(null, { kind: 'DELAY', hours: 24 }, 0)
  expect(holdAt(first, 0)).toEqual({ kind: 'DELAY', hours: 24 })
  expect(holdAt(withHold(first, { kind: 'DELAY', hours: 48 }, 0), 0)).toEqual({ kind: 'DELAY', hours: 48 })
})

test('removing or replacing a safeguard waits as long as the safeguard itself', () => {
  const delay = withHold(null, { kind: 'DELAY', hours: 24 }, 0)
  for (const wanted of [null, { kind: 'DELAY', hours: 1 }, { kind: 'APPROVAL' }] as const) {
    const after = withHold(delay, wanted, 0)
    expect(holdAt(after, 24 * hour - 1)).toEqual({ kind: 'DELAY', hours: 24 })
    expect(holdAt(after, 24 * hour)).toEqual(wanted)
  }
})

test('no sequence of changes redirects money sooner than the original safeguard allowed', () => {
  const requests = fc.array(fc.tuple(hold, fc.integer({ min: 0, max: 5 * hour })), { maxLength: 20 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 168 }), requests, (hours, all) => {
      let setting = withHold(null, { kind: 'DELAY', hours }, 0)
      let now = 0
      for (const [wanted, waited] of all) {
        setting = withHold(setting, wanted, now)
        const held = holdAt(setting, now)
        const soonest = held === null ? now : effectiveAt(held, now)
        // With an approval, a second person decides instead of the clock.
        if (soonest !== null) expect(soonest).toBeGreaterThanOrEqual(hours * hour)
        else expect(now >= hours * hour || held!.kind === 'APPROVAL').toBe(true)
        now += waited
      }
    }),
  )
})
