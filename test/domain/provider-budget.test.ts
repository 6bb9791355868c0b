import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Allowance } from '../../src/domain/limits/limits-in-force'
import {
  admit,
  allowanceOf,
  freeNow,
  type LimitUpdate,
  lapseMs,
  type ProviderBudget,
  type Purpose,
  type Requester,
  unspent,
  waitMs,
  withUpdates,
} from '../../src/domain/limits/provider-budget'

const minute: Allowance = { most: 60, windowMs: 60_000 }
const answered: LimitUpdate = { at: 0, isRefusal: false, most: null, left: null, resetMs: null, retryMs: null }
const known = (configured = minute): ProviderBudget => withUpdates(unspent('one'), [answered], configured, 0)
const requester = (
  id: string,
  organizationId = 'org_1',
  purpose: Purpose = 'DEPOSIT',
  waitingSince: number | null = null,
) => ({ id, organizationId, purpose, waitingSince }) satisfies Requester
const requesters = (count: number, organizationId = 'org_1', purpose: Purpose = 'DEPOSIT'): Requester[] =>
  Array.from({ length: count }, (_, n) => requester(`${organizationId} ${purpose} ${n}`, organizationId, purpose))

const granted = (admissions: readonly unknown[]): number => admissions.filter((admission) => admission === null).length

const purposes = fc.constantFrom<Purpose>('DEPOSIT', 'PREVIEW', 'LOOK')
const step = fc.record({
  afterMs: fc.oneof(fc.nat(300), fc.nat(20_000)),
  asks: fc.array(fc.tuple(fc.nat(3), purposes), { maxLength: 40 }),
  heldMs: fc.nat(1_000),
})
const allowances = fc.record({
  most: fc.integer({ min: 1, max: 120 }),
  windowMs: fc.constantFrom(6_000, 60_000, 7_200_000),
})

test('no window contains more requests than the limit allows, for any requesters and any delays', () => {
  fc.assert(
    fc.property(allowances, fc.array(step, { minLength: 1, maxLength: 80 }), (configured, steps) => {
      let budget = known(configured)
      let now = 1_000
      const made: number[] = []
      for (const [n, { afterMs, asks, heldMs }] of steps.entries()) {
        now += Math.floor((afterMs * configured.windowMs) / 60_000)
        const all = asks.map(([org, purpose], k) => requester(`${n} ${k}`, `org_${org}`, purpose))
        const taken = admit(budget, all, { configured, spareMost: 5, now })
        budget = taken.budget
        const late = Math.min(heldMs, lapseMs(configured))
        for (let k = 0; k < granted(taken.admissions); k++) made.push(now)
        for (let k = 0; k < taken.spare; k++) made.push(now + late)
      }
      made.sort((one, other) => one - other)
      for (const [n, at] of made.entries()) {
        const first = made[n - configured.most]
        if (first !== undefined) expect(at - first).toBeGreaterThanOrEqual(configured.windowMs)
      }
    }),
    { numRuns: 300 },
  )
})

/** Serves deposits of several organizations that all arrive together, and retry at the time they are given. */
function served(counts: readonly number[], configured = minute): Map<string, number[]> {
  let budget = known(configured)
  const at = new Map<string, number[]>()
  const due = counts.flatMap((count, org) =>
    requesters(count, `org_${org}`).map((one) => ({ one: one as Requester, at: 1_000 })),
  )
  while (due.length > 0) {
    due.sort((a, b) => a.at - b.at)
    const now = due[0]!.at
    const asking = due.filter((each) => each.at <= now)
    const { budget: next, admissions } = admit(
      budget,
      asking.map(({ one }) => one),
      { configured, spareMost: 0, now },
    )
    budget = next
    for (const [n, admission] of admissions.entries()) {
      const each = asking[n]!
      if (admission === null) {
        due.splice(due.indexOf(each), 1)
        at.set(each.one.organizationId, [...(at.get(each.one.organizationId) ?? []), now])
      } else {
        each.at = now + waitMs(admission, now)
        each.one = { ...each.one, waitingSince: each.one.waitingSince ?? now }
      }
    }
  }
  return at
}

test('a hundred simultaneous deposits are served as fast as the limit allows', () => {
  const [all] = served([100]).values()
  expect(all).toHaveLength(100)
  expect(Math.max(...all!)).toBeLessThan(2 * 64_000 + 5_000)
})

test('no organization waits longer than its fair share requires, however many requests the others have', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 2, maxLength: 4 }), (counts) => {
      const at = served(counts)
      for (const [org, times] of at) {
        const mine = counts[Number(org.slice(4))]!
        expect(times).toHaveLength(mine)
        // With a fair share of each window, the organization's last deposit must be admitted by this time.
        const share = Math.floor(minute.most / counts.length)
        expect(Math.max(...times)).toBeLessThanOrEqual(1_000 + (Math.ceil(mine / share) + 1) * 70_000)
      }
    }),
    { numRuns: 60 },
  )
})

test('within an organization, the deposit that has waited longest comes first', () => {
  const full = admit(known(), requesters(60), { configured: minute, spareMost: 0, now: 1_000 }).budget
  const waiting = [requester('early', 'org_1', 'DEPOSIT', 500), requester('later', 'org_1', 'DEPOSIT', 900)]
  const { budget, admissions } = admit(full, waiting, { configured: minute, spareMost: 0, now: 2_000 })
  expect(granted(admissions)).toBe(0)
  const one = { ...budget, taken: budget.taken.map((each) => ({ ...each, count: 59 })) }
  const ask = (...those: Requester[]) =>
    admit(one, those, { configured: minute, spareMost: 0, now: 3_000 }).admissions.map(
      (admission) => admission === null,
    )
  expect(ask(requester('new'))).toEqual([false])
  expect(ask(waiting[1]!, waiting[0]!)).toEqual([false, true])
})

test('previews and health probes leave the last fifth to deposits', () => {
  const take = (purpose: Purpose) => {
    const { admissions } = admit(known(), requesters(100, 'org_1', purpose), {
      configured: minute,
      spareMost: 0,
      now: 1_000,
    })
    return granted(admissions)
  }
  expect([take('PREVIEW'), take('LOOK'), take('DEPOSIT')]).toEqual([48, 48, 60])
})

test('a limit of one request also serves previews and probes when no deposit needs it', () => {
  const configured = { most: 1, windowMs: 60_000 }
  const look = requester('look', 'org_1', 'LOOK')
  expect(admit(known(configured), [look], { configured, spareMost: 5, now: 1_000 }).admissions).toEqual([null])
  const both = admit(known(configured), [look, requester('deposit')], { configured, spareMost: 5, now: 1_000 })
  expect(both.admissions.map((admission) => admission === null)).toEqual([false, true])
})

test('few requests are sent before the first response, and the others wait a second', () => {
  const { admissions } = admit(unspent('one'), requesters(50), { configured: minute, spareMost: 0, now: 1_000 })
  expect(granted(admissions)).toBe(10)
  for (const admission of admissions) if (admission) expect(admission.retryAt).toBeLessThanOrEqual(2_000)
})

test('a limit stated by the provider replaces a default, and a setting holds beside it: the tightest decides', () => {
  const say = (most: number, left: number, isSet: boolean) => {
    const configured = { ...minute, isSet }
    const heard = withUpdates(known(), [{ ...answered, at: 1_000, most, left, resetMs: 30_000 }], configured, 1_000)
    return freeNow(heard, configured, 1_000)
  }
  expect([12_000, 30, 60].map((most) => say(most, most - 10, false))).toEqual([11_990, 20, 50])
  expect([12_000, 30, 60].map((most) => say(most, most - 10, true))).toEqual([60, 20, 50])
  expect([say(60, 0, false), say(60, 0, true)]).toEqual([0, 0])
})

test('while a setting and a stated limit hold, neither window contains more requests than its limit, and the record stays small', () => {
  const stated = fc.record({
    most: fc.integer({ min: 1, max: 12_000 }),
    windowMs: fc.constantFrom(60_000, 600_000, 7_200_000),
  })
  fc.assert(
    fc.property(
      stated,
      fc.integer({ min: 1, max: 120 }),
      fc.array(step, { minLength: 60, maxLength: 200 }),
      (own, most, steps) => {
        const configured = { most, windowMs: 60_000, isSet: true }
        const heard = { ...answered, at: 0, most: own.most, resetMs: own.windowMs }
        let budget = withUpdates(unspent('one'), [heard], configured, 0)
        let now = 1_000
        const made: number[] = []
        for (const [n, { afterMs, asks }] of steps.entries()) {
          now += afterMs
          const all = asks.map(([org, purpose], k) => requester(`${n} ${k}`, `org_${org}`, purpose))
          const taken = admit(budget, all, { configured, spareMost: 5, now })
          budget = taken.budget
          for (let k = 0; k < granted(taken.admissions) + taken.spare; k++) made.push(now)
          expect(budget.taken.length).toBeLessThan(200)
        }
        for (const limit of [configured, own])
          for (const [n, at] of made.entries()) {
            const first = made[n - limit.most]
            if (first !== undefined) expect(at - first).toBeGreaterThanOrEqual(limit.windowMs)
          }
      },
    ),
    { numRuns: 100 },
  )
})

test('a small setting lets all its requests out in each minute, however large the limit that the provider states', () => {
  const configured = { most: 10, windowMs: 60_000, isSet: true }
  const heard = { ...answered, at: 0, most: 12_000, left: 11_999, resetMs: 7_200_000 }
  let budget = withUpdates(unspent('one'), [heard], configured, 0)
  let all = 0
  for (let now = 1_000; now < 60 * 60_000; now += 1_000) {
    const taken = admit(budget, requesters(2), { configured, spareMost: 0, now })
    all += granted(taken.admissions)
    budget = taken.budget
  }
  expect(all).toBeGreaterThan(60 * 9)
  expect(all).toBeLessThanOrEqual(60 * 10)
})

test('the remaining count is the one that the provider stated, minus requests sent since', () => {
  const { budget } = admit(known(), requesters(20), { configured: minute, spareMost: 0, now: 10_000 })
  const heard = withUpdates(budget, [{ ...answered, at: 10_000, most: 60, left: 50, resetMs: 50_000 }], minute, 11_000)
  // The provider may have counted only the request that it answered.
  expect(freeNow(heard, minute, 11_000)).toBe(50 - 19)
})

test('no request is sent before the time that a refusal names', () => {
  const refused = withUpdates(
    known(),
    [{ ...answered, at: 1_000, isRefusal: true, most: 60, retryMs: 20_000 }],
    minute,
    1_100,
  )
  const at = (now: number) => admit(refused, requesters(1), { configured: minute, spareMost: 0, now }).admissions[0]!
  expect(at(2_000)).toEqual({ retryAt: 21_000 })
  expect(at(21_000)).toBeNull()
})

test('an unstated limit is learned from the accepted requests, and a single odd refusal only halves it', () => {
  const { budget } = admit(known(), requesters(60), { configured: minute, spareMost: 0, now: 1_000 })
  const refusals = Array.from({ length: 20 }, () => ({ ...answered, at: 1_000, isRefusal: true, retryMs: 1_000 }))
  expect(withUpdates(budget, refusals, minute, 1_200).learned).toMatchObject({ most: 40, windowMs: 60_000 })
  expect(withUpdates(known(), refusals.slice(0, 1), minute, 1_200).learned?.most).toBe(30)
  expect(withUpdates(budget, refusals, minute, 1_200).learned!.until).toBeGreaterThan(60 * 60_000)
})

test('a limit halved by an odd refusal recovers gradually, while a measured limit first holds for an hour', () => {
  const refusal = { ...answered, at: 1_000, isRefusal: true, retryMs: 1_000 }
  const mostAt = (budget: ProviderBudget, minutes: number) => allowanceOf(budget, minute, 1_200 + minutes * 60_000).most
  const halved = withUpdates(known(), [refusal], minute, 1_200)
  expect([0, 2, 5, 9, 10, 60].map((minutes) => mostAt(halved, minutes))).toEqual([30, 36, 45, 57, 60, 60])
  const { budget } = admit(known(), requesters(60), { configured: minute, spareMost: 0, now: 1_000 })
  const measured = withUpdates(budget, Array(20).fill(refusal), minute, 1_200)
  expect([0, 59, 60, 75, 90, 120].map((minutes) => mostAt(measured, minutes))).toEqual([40, 40, 40, 45, 50, 60])
  const again = withUpdates(halved, [{ ...refusal, at: 301_000 }], minute, 301_200)
  expect(mostAt(again, 5)).toBe(23)
})

test('a statement does not end a tighter limit that refusals showed, nor do refusals end a statement', () => {
  const { budget } = admit(known(), requesters(60), { configured: minute, spareMost: 0, now: 1_000 })
  const refusal = { ...answered, at: 1_000, isRefusal: true, retryMs: 1_000 }
  const statement = (at: number, most: number) => ({ ...answered, at, most })
  const mostAt = (of: ProviderBudget, minutes: number) => allowanceOf(of, minute, 1_200 + minutes * 60_000).most
  const measured = withUpdates(budget, Array(20).fill(refusal), minute, 1_200)
  // The refusals showed 40, whatever the provider states later. Then the limit grows to the stated one.
  const stated = withUpdates(measured, [statement(2_000, 100)], minute, 2_000)
  const still = withUpdates(stated, [statement(60 * 60_000, 100)], minute, 60 * 60_000)
  expect([0, 59, 60, 90, 119].map((minutes) => mostAt(still, minutes))).toEqual([40, 40, 40, 70, 99])
  expect(mostAt(withUpdates(stated, [statement(3_000, 30)], minute, 3_000), 1)).toBe(30)

  const first = withUpdates(known(), [statement(1_000, 50)], minute, 1_000)
  const halved = withUpdates(first, [refusal], minute, 1_200)
  expect([0, 5, 10, 30].map((minutes) => mostAt(halved, minutes))).toEqual([25, 37, 50, 50])
  expect(mostAt(halved, 60)).toBe(60)
})

test('a stated limit that an earlier release stored holds until it lapses', () => {
  const { stated: _, ...before } = known()
  const stored: ProviderBudget = { ...before, learned: { most: 20, windowMs: 60_000, until: 100_000 } }
  expect([1_000, 100_000].map((now) => allowanceOf(stored, minute, now).most)).toEqual([20, 60])
  const next = withUpdates(stored, [{ ...answered, at: 50_000 }], minute, 50_000)
  expect(allowanceOf(next, minute, 99_000).most).toBe(20)
})

test('a statement that an earlier release stores beside an older one is the newest', () => {
  const stored: ProviderBudget = {
    ...known(),
    stated: { most: 40, windowMs: 60_000, until: 1_000 },
    learned: { most: 20, windowMs: 60_000, until: 100_000 },
  }
  expect([1_000, 100_000].map((now) => allowanceOf(stored, minute, now).most)).toEqual([20, 60])
})

test('the longest window that a provider showed counts until an hour after its end, unless it is shown again', () => {
  const [minuteMs, hour] = [60_000, 3_600_000]
  const said = (at: number, resetMs: number) => ({ ...answered, at, most: 50, resetMs })
  let budget = withUpdates(known(), [said(0, 2 * hour)], minute, 0)
  const windowAt = (at: number, resetMs = minuteMs) => {
    budget = withUpdates(budget, [said(at, resetMs)], minute, at)
    return allowanceOf(budget, minute, at).windowMs
  }
  const times = Array.from({ length: 18 }, (_, n) => n * 10 * minuteMs)
  expect(new Set(times.map((at) => windowAt(at)))).toEqual(new Set([2 * hour]))
  expect(windowAt(3 * hour)).toBe(minuteMs)
  windowAt(3 * hour + minuteMs, 2 * hour)
  expect(windowAt(4 * hour)).toBe(2 * hour)
})

test('the record stays small under any number of requests, also with a stated and a learned limit', () => {
  const configured = { most: 12_000, windowMs: 7_200_000 }
  const until = 100_000_000
  let budget: ProviderBudget = {
    ...known(configured),
    stated: { ...configured, until },
    learned: { ...configured, until, growsFrom: until },
  }
  for (let n = 0; n < 3_000; n++)
    budget = admit(budget, requesters(2, `org_${n % 50}`), { configured, spareMost: 0, now: 1_000 + n * 2_400 }).budget
  expect(JSON.stringify(budget).length).toBeLessThan(20_000)
})

test('a backlog drains at the limit, and later requests need not wait', () => {
  let budget = known()
  let now = 1_000
  const waiting = Array.from({ length: 1_000 }, (_, n) => ({
    id: `${n}`,
    since: null as number | null,
    at: now + n * 60,
  }))
  let came = waiting.length
  let grantedInAll = 0
  const hourMs = 60 * 60_000
  for (const end = now + hourMs; now < end; now += 1_000) {
    // Requests arrive at half the rate that the limit allows.
    if (came < 1_000 + now / 2_000) waiting.push({ id: `${came++}`, since: null, at: now })
    const due = waiting.filter(({ at }) => at <= now)
    const asked = due.map(({ id, since }) => requester(id, 'org_1', 'DEPOSIT', since))
    const taken = admit(budget, asked, { configured: minute, spareMost: 0, now })
    budget = taken.budget
    for (const [n, one] of due.entries()) {
      const admission = taken.admissions[n]!
      if (admission === null) {
        waiting.splice(waiting.indexOf(one), 1)
        grantedInAll++
        continue
      }
      one.at = now + waitMs(admission, now)
      one.since ??= now
    }
  }
  expect(waiting.length).toBeLessThanOrEqual(10)
  expect(grantedInAll).toBe(came - waiting.length)
})

test('a request is admitted while the provider has requests left, under a configured, learned or stated limit', () => {
  const now = 10_000_000
  const minutes = (n: number) => n * 60_000
  const heard: ProviderBudget = {
    ...known(),
    told: { left: 11_999, at: now - minutes(61), until: now + minutes(59) },
    learned: { most: 12_000, windowMs: minutes(120), until: now - minutes(1) },
  }
  const states = { lapsed: heard, unlearned: { ...heard, learned: null }, untold: { ...heard, told: null } }
  const waits: string[] = []
  for (const [name, budget] of Object.entries(states))
    for (const most of [100, 6_000, 1_000_000])
      for (const purpose of ['DEPOSIT', 'PREVIEW', 'LOOK'] as const) {
        for (const isSet of [false, true]) {
          const configured = { most, windowMs: minutes(1), isSet }
          const [admission] = admit(budget, [requester('one', 'org_1', purpose)], {
            configured,
            spareMost: 0,
            now,
          }).admissions
          if (admission) waits.push(`${purpose} of ${most}, ${name}, for ${admission.retryAt - now} ms`)
        }
      }
  expect(waits).toEqual([])
})

test('the reserve for deposits is a share of the tightest limit, and never all remaining requests', () => {
  const configured = { most: 1_000_000, windowMs: 60_000 }
  const left = (count: number) => ({ ...known(configured), told: { left: count, at: 1_000, until: 90_000 } })
  const looks = (count: number) => {
    const all = requesters(200, 'org_1', 'LOOK')
    return granted(admit(left(count), all, { configured, spareMost: 0, now: 1_000 }).admissions)
  }
  expect([100, 10, 1, 0].map(looks)).toEqual([80, 8, 1, 0])
})

test('a request that may not have reached the provider holds one of the reported remainder for a moment', () => {
  const at = 1_000
  const reported = withUpdates(known(), [{ ...answered, at, left: 3, resetMs: 60_000 }], minute, at)
  const { budget } = admit(reported, requesters(1), { configured: minute, spareMost: 0, now: at })
  const { admissions } = admit(budget, requesters(4, 'org_2'), { configured: minute, spareMost: 0, now: 2_000 })
  expect(admissions).toEqual([null, null, { retryAt: 2_000 + 3_000 }, { retryAt: at + 60_000 }])
})
