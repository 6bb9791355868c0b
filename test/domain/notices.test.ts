import { expect, test } from 'bun:test'
import {
  emptyBook,
  isDue,
  isTimeZone,
  isWaking,
  type NoticeKind,
  type NoticeSettings,
  noticeKinds,
  noticeSettingsOf,
  type PendingNotices,
  withDoubt,
  withPending,
  withSent,
  withWriting,
} from '../../src/domain/tenant/notices'

const at = Date.UTC(2026, 10, 21, 10)
const [minute, hour] = [60_000, 3_600_000]
const soon: NoticeSettings = { pace: 'SOON', kinds: noticeKinds, quiet: null, timeZone: 'UTC' }
const reader = (settings: Partial<NoticeSettings> = {}, personId = 'ann') => ({
  personId,
  settings: { ...soon, ...settings },
})
const notices = (count: number, kind: NoticeKind = 'EXECUTION_ENDED') =>
  Array.from({ length: count }, (_, n) => ({ id: `${kind}:${n}`, kind, text: `text ${n}` }))
const found = (count: number, readers = [reader()]) => withPending(emptyBook('org_1'), notices(count), readers, at)
const waiting = (change: Partial<PendingNotices> = {}): PendingNotices => ({
  ...{ personId: 'ann', gathered: [], since: at, sentAt: null, writingUntil: 0 },
  ...change,
})

test('a thousand notifications of one kind become one count and five examples', () => {
  const [ann] = found(1_000).people
  expect(ann).toMatchObject({ gathered: [{ kind: 'EXECUTION_ENDED', count: 1_000 }], since: at })
  expect(ann!.gathered[0]!.texts).toEqual(['text 0', 'text 1', 'text 2', 'text 3', 'text 4'])
})

test('a lasting condition is gathered once, and again if it returns after hours', () => {
  let book = found(2)
  for (let n = 1; n <= 300; n++) book = withPending(book, notices(2), [reader()], at + n * minute)
  expect(book.people[0]!.gathered).toMatchObject([{ count: 2 }])
  book = withPending(book, [], [reader()], at + 500 * minute)
  book = withPending(book, notices(2), [reader()], at + 501 * minute)
  expect(book.people[0]!.gathered).toMatchObject([{ count: 4 }])
})

test('no member is notified of a kind they did not choose, while notifications are off, or of an organization they left', () => {
  const readers = [reader({ kinds: ['QUOTA'] }, 'bob'), reader({ pace: 'OFF' }, 'cy'), reader()]
  const book = found(3, readers)
  expect(book.people.map(({ personId, since }) => [personId, since])).toEqual([
    ['bob', null],
    ['cy', null],
    ['ann', at],
  ])
  expect(withPending(book, [], [readers[0]!], at).people.map(({ personId }) => personId)).toEqual(['bob'])
  // Turning notifications off drops the waiting ones.
  expect(withPending(book, [], [reader({ pace: 'OFF' })], at).people).toMatchObject([{ gathered: [], since: null }])
})

test('every role except member is notified soon by default', () => {
  expect((['owner', 'admin', 'operator', 'member'] as const).map((role) => noticeSettingsOf({ role }).pace)).toEqual([
    'SOON',
    'SOON',
    'SOON',
    'OFF',
  ])
})

test('the pace “soon” means five minutes after the first notification, and an hour after the last e-mail', () => {
  expect(isDue(waiting({ since: null }), soon, at + hour)).toBe(false)
  expect(isDue(waiting(), soon, at + 5 * minute - 1)).toBe(false)
  expect(isDue(waiting(), soon, at + 5 * minute)).toBe(true)
  expect(isDue(waiting({ sentAt: at }), soon, at + hour - 1)).toBe(false)
  expect(isDue(waiting({ sentAt: at }), soon, at + hour)).toBe(true)
  expect(isDue(waiting({ writingUntil: at + hour }), soon, at + 5 * minute)).toBe(false)
})

test('no e-mail is sent in quiet hours, which follow the person’s time zone and can span midnight', () => {
  const quiet = { ...soon, quiet: { from: 22, to: 7 }, timeZone: 'America/New_York' }
  const due = (utcHour: number) => isDue(waiting({ since: 0 }), quiet, Date.UTC(2026, 10, 21, utcHour))
  // New York is five hours behind in November.
  expect([2, 3, 8, 11, 12, 20].map(due)).toEqual([true, false, false, false, true, true])
  const noon = { ...soon, quiet: { from: 12, to: 13 } }
  expect([11, 12, 13].map((h) => isDue(waiting({ since: 0 }), noon, Date.UTC(2026, 10, 21, h)))).toEqual([
    true,
    false,
    true,
  ])
})

test('daily e-mails are sent after eight in the morning, once per day of the person', () => {
  const daily = { ...soon, pace: 'DAILY' as const, timeZone: 'Asia/Tokyo' }
  const day = (utc: number) => Date.UTC(2026, 10, 20, utc)
  expect(isDue(waiting({ since: 0 }), daily, day(22))).toBe(false) // seven in Tokyo
  expect(isDue(waiting({ since: 0 }), daily, day(23))).toBe(true)
  expect(isDue(waiting({ since: 0, sentAt: day(23) }), daily, day(23) + 10 * hour)).toBe(false)
  expect(isDue(waiting({ since: 0, sentAt: day(23) }), daily, day(23) + 24 * hour)).toBe(true)
  expect(isDue(waiting({ since: 0 }), { ...daily, timeZone: 'Nowhere/Such' }, at)).toBe(true)
})

test('notifications gathered while an e-mail is written go into the next one, without repeating any', () => {
  const before = withWriting(found(3), 'ann', at)
  const sent = before.people[0]!
  const meanwhile = withPending(before, [...notices(8), ...notices(1, 'QUOTA')], [reader()], at + minute)
  const [ann] = withSent(meanwhile, sent, at + 2 * minute).people
  expect(ann).toMatchObject({ since: at + 2 * minute, sentAt: at + 2 * minute, writingUntil: 0 })
  expect(ann!.gathered.map(({ kind, count }) => [kind, count])).toEqual([
    ['EXECUTION_ENDED', 5],
    ['QUOTA', 1],
  ])
  const [rested] = withSent(before, sent, at).people
  expect(rested).toMatchObject({ gathered: [], since: null })
})

test('a change that can still be prevented is e-mailed at any hour and pace, minutes after the last e-mail', () => {
  const gathered = [{ kind: 'CHANGE_HELD', count: 1, texts: ['text'] }] as const
  const night = { ...soon, pace: 'DAILY' as const, quiet: { from: 0, to: 23 } }
  const due = (change: Partial<PendingNotices>, settings: NoticeSettings = night) =>
    isDue(waiting({ gathered, ...change }), settings, at)
  expect([due({}), due({ sentAt: at - 5 * minute }), due({ sentAt: at - 5 * minute + 1 })]).toEqual([true, true, false])
  expect([due({}, { ...night, pace: 'OFF' }), due({ writingUntil: at + 1 }), due({ since: null })]).toEqual([
    ...[false, false, false],
  ])
  expect(due({ gathered: [{ ...gathered[0], kind: 'QUOTA' }] })).toBe(false)
})

test('an e-mail that is not sent is tried again later each time, and after an hour if its fate is unknown', () => {
  let book = found(1)
  const waits = [1, 5, 15, 60, 60].map(() => {
    book = withWriting(book, 'ann', at)
    return (book.people[0]!.writingUntil - at) / minute
  })
  expect([waits, book.people[0]!.attempts]).toEqual([[1, 5, 15, 60, 60], 5])
  expect(withDoubt(book, 'ann', at).people[0]).toMatchObject({ writingUntil: at + hour, attempts: 5 })
  expect(withDoubt(book, 'bob', at)).toEqual(book)
  expect(withSent(book, book.people[0]!, at).people[0]!.attempts).toBe(0)
})

test('the newest 2,000 notifications are remembered, for two hours after they were last found', () => {
  const many = withPending(found(3), notices(2_000, 'QUOTA'), [reader()], at + 1)
  expect([many.known.length, many.known.every(({ id }) => id.startsWith('QUOTA'))]).toEqual([2_000, true])
  const knownAfter = (ms: number) => withPending(found(1), [], [reader()], at + ms).known.length
  expect([knownAfter(2 * hour - 1), knownAfter(2 * hour)]).toEqual([1, 0])
  expect(found(1)).toMatchObject({ id: 'org_1', version: 0, lookedAt: at, known: [{ id: 'EXECUTION_ENDED:0', at }] })
  const later = withPending(found(1), notices(2), [reader()], at + minute)
  expect(later.people[0]).toMatchObject({ since: at, gathered: [{ count: 2, texts: ['text 0', 'text 1'] }] })
  expect(emptyBook('org_1')).toMatchObject({ lookedAt: 0, known: [], people: [] })
})

test('others are woken by no e-mail in their quiet hours, nor before eight if they read daily', () => {
  const on = (settings: Partial<NoticeSettings>, utcHour: number) =>
    isWaking({ ...soon, ...settings }, Date.UTC(2026, 10, 21, utcHour))
  expect([on({}, 3), on({ quiet: { from: 3, to: 4 } }, 3), on({ quiet: { from: 3, to: 3 } }, 3)]).toEqual([
    ...[true, false, true],
  ])
  expect([7, 8].map((hourOf) => on({ pace: 'DAILY' }, hourOf))).toEqual([false, true])
  expect([isTimeZone('Asia/Tokyo'), isTimeZone('Nowhere/Such')]).toEqual([true, false])
})

test('what was e-mailed is not repeated, and what came meanwhile keeps its own examples', () => {
  const sent = { ...waiting(), gathered: [{ kind: 'QUOTA', count: 2, texts: ['a', 'b'] }] } as const
  const now = { ...sent, gathered: [{ kind: 'QUOTA', count: 3, texts: ['a', 'b', 'c'] }] } as const
  const book = { ...emptyBook('org_1'), people: [now, waiting({ personId: 'bob' })] }
  const [ann, bob] = withSent(book, sent, at + 1).people
  expect([ann!.gathered, ann!.since]).toEqual([[{ kind: 'QUOTA', count: 1, texts: ['c'] }], at + 1])
  expect(bob).toEqual(waiting({ personId: 'bob' }))
})
