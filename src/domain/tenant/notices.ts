import type { MemberRole } from './member-role'

/** What people are written to about, because it needs somebody. */
export const noticeKinds = [
  'CHANGE_HELD',
  'MEMBER_APPOINTED',
  'EXECUTION_ENDED',
  'EXECUTION_WAITS',
  'QUOTA',
  'KEY_EXPIRES',
  'PAUSED',
  'ENDPOINT_DISABLED',
] as const
export type NoticeKind = (typeof noticeKinds)[number]

/** `SOON`: within minutes, and at most once an hour. `DAILY`: once a day, in the morning. */
export const noticePaces = ['SOON', 'DAILY', 'OFF'] as const

/** What a member wants to be written to about, and when. */
export type NoticeSettings = {
  pace: (typeof noticePaces)[number]
  kinds: readonly NoticeKind[]
  /** The hours of the day in which nothing is written, from one to before the other; null for none. */
  quiet: { from: number; to: number } | null
  /** The time zone of the hours, as in the IANA database. */
  timeZone: string
}

/** Who did not choose is written to when there is something that they may act on. */
export const noticeSettingsOf = ({
  role,
  notices,
}: {
  role: MemberRole
  notices?: NoticeSettings | undefined
}): NoticeSettings =>
  notices ?? { pace: role === 'member' ? 'OFF' : 'SOON', kinds: noticeKinds, quiet: null, timeZone: 'UTC' }

/** One thing that needs somebody. The id stays the same for as long as it lasts. */
export type Notice = { id: string; kind: NoticeKind; text: string }

/** What waits to be written about one kind: how much, and the first few in words. */
type Gathered = { kind: NoticeKind; count: number; texts: readonly string[] }

/** What a person is still to be written to about, and when that was done last. */
export type Waiting = {
  personId: string
  gathered: readonly Gathered[]
  /** When the first of it was found; null while nothing waits. */
  since: number | null
  sentAt: number | null
  /** Until then nobody else writes to the person: a process does, or the mail server did not take the last letter. */
  writingUntil: number
  /** How often this letter was begun; absent in older books. */
  attempts?: number
}

export type NoticeBook = {
  /** The id of the organization. */
  id: string
  version: number
  /** When somebody looked last. */
  lookedAt: number
  /** What was found and is not forgotten, with when it was found last, so that it is gathered once. */
  known: readonly { id: string; at: number }[]
  people: readonly Waiting[]
}

const textsMax = 5
const knownMax = 2_000
/** For this long after it was last found, a notice that is found again is the same one. */
const knownMs = 2 * 3_600_000
const gatherMs = 5 * 60_000
const betweenMs = 60 * 60_000
const morning = 8
/** How long each attempt of a letter holds up the next one. A process that died holds it up no longer. */
const retryMs = [1, 5, 15, 60].map((minutes) => minutes * 60_000)
/** What somebody may still prevent is written at any hour, minutes after it was found. */
const isUrgent = ({ gathered }: Waiting): boolean => gathered.some(({ kind }) => kind === 'CHANGE_HELD')

export const emptyBook = (id: string): NoticeBook => ({ id, version: 0, lookedAt: 0, known: [], people: [] })

const nobodyYet = (personId: string): Waiting => ({
  personId,
  gathered: [],
  since: null,
  sentAt: null,
  writingUntil: 0,
})

function gather(waiting: Waiting, fresh: readonly Notice[], at: number): Waiting {
  if (fresh.length === 0) return waiting
  const gathered = new Map(waiting.gathered.map((one) => [one.kind, one]))
  for (const { kind, text } of fresh) {
    const { count, texts } = gathered.get(kind) ?? { count: 0, texts: [] }
    gathered.set(kind, { kind, count: count + 1, texts: texts.length < textsMax ? [...texts, text] : texts })
  }
  return { ...waiting, gathered: [...gathered.values()], since: waiting.since ?? at }
}

type Reader = { personId: string; settings: NoticeSettings }

/** The book with what was found now. Of what each person does not want to know, nothing is kept for that person. */
export function withFound(
  book: NoticeBook,
  found: readonly Notice[],
  readers: readonly Reader[],
  at: number,
): NoticeBook {
  const before = new Set(book.known.map(({ id }) => id))
  const fresh = found.filter(({ id }) => !before.has(id))
  const now = new Map(book.known.filter((one) => one.at + knownMs > at).map((one) => [one.id, one]))
  for (const { id } of found) now.set(id, { id, at })
  const people = readers.map(({ personId, settings }) => {
    const waiting = book.people.find((one) => one.personId === personId) ?? nobodyYet(personId)
    if (settings.pace === 'OFF') return { ...waiting, gathered: [], since: null }
    return gather(
      waiting,
      fresh.filter(({ kind }) => settings.kinds.includes(kind)),
      at,
    )
  })
  return { ...book, lookedAt: at, known: [...now.values()].toSorted((a, b) => a.at - b.at).slice(-knownMax), people }
}

/** Day and hour where the person is. A zone that is not known counts as UTC. */
function localOf(at: number, timeZone: string): { day: string; hour: number } {
  const format = (zone: string) =>
    new Intl.DateTimeFormat('en-CA', {
      ...{ timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', hourCycle: 'h23' },
    } as Intl.DateTimeFormatOptions).formatToParts(at)
  const parts = isTimeZone(timeZone) ? format(timeZone) : format('UTC')
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return { day: [of('year'), of('month'), of('day')].join('-'), hour: Number(of('hour')) }
}

export function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}

const isQuiet = ({ quiet, timeZone }: NoticeSettings, at: number): boolean => {
  if (quiet === null || quiet.from === quiet.to) return false
  const { hour } = localOf(at, timeZone)
  return quiet.from < quiet.to ? hour >= quiet.from && hour < quiet.to : hour >= quiet.from || hour < quiet.to
}

/** Whether what can wait may be written about now, in a letter of its own. */
export const isWaking = (settings: NoticeSettings, at: number): boolean =>
  !isQuiet(settings, at) && (settings.pace !== 'DAILY' || localOf(at, settings.timeZone).hour >= morning)

/** Whether it is time to write to a person. */
export function isDue(waiting: Waiting, settings: NoticeSettings, at: number): boolean {
  const { since, sentAt, writingUntil } = waiting
  if (since === null || settings.pace === 'OFF' || writingUntil > at) return false
  if (isUrgent(waiting)) return (sentAt ?? Number.NEGATIVE_INFINITY) + gatherMs <= at
  if (isQuiet(settings, at)) return false
  if (settings.pace === 'SOON') return since + gatherMs <= at && (sentAt ?? Number.NEGATIVE_INFINITY) + betweenMs <= at
  const local = localOf(at, settings.timeZone)
  return local.hour >= morning && (sentAt === null || localOf(sentAt, settings.timeZone).day < local.day)
}

const ofPerson = (book: NoticeBook, personId: string, change: (waiting: Waiting) => Waiting): NoticeBook => ({
  ...book,
  people: book.people.map((one) => (one.personId === personId ? change(one) : one)),
})

/** The book while somebody is written to. The wait is stored before the attempt, so that it counts whatever happens. */
export const withWriting = (book: NoticeBook, personId: string, at: number): NoticeBook =>
  ofPerson(book, personId, ({ attempts = 0, ...one }) => ({
    ...one,
    attempts: attempts + 1,
    writingUntil: at + retryMs[Math.min(attempts, retryMs.length - 1)]!,
  }))

/** The book after a letter of which nobody knows whether it arrives. */
export const withDoubt = (book: NoticeBook, personId: string, at: number): NoticeBook =>
  ofPerson(book, personId, (one) => ({ ...one, writingUntil: at + betweenMs }))

/** The book after a letter, with what was found while it was being written. */
export const withSent = (book: NoticeBook, sent: Waiting, at: number): NoticeBook =>
  ofPerson(book, sent.personId, (one) => {
    const rest = one.gathered.flatMap((each) => {
      const told = sent.gathered.find(({ kind }) => kind === each.kind)
      if (!told) return [each]
      const count = each.count - told.count
      return count > 0 ? [{ ...each, count, texts: each.texts.slice(told.texts.length) }] : []
    })
    return { ...one, gathered: rest, since: rest.length > 0 ? at : null, sentAt: at, writingUntil: 0, attempts: 0 }
  })
