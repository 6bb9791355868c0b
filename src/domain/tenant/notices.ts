import type { MemberRole } from './member-role'

/** Kinds of notifications. Each needs a member's attention. */
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

/** A member's notification settings. */
export type NoticeSettings = {
  pace: (typeof noticePaces)[number]
  kinds: readonly NoticeKind[]
  /** Quiet hours, from one hour to before the other; null for none. */
  quiet: { from: number; to: number } | null
  /** Time zone of the quiet hours, as in the IANA database. */
  timeZone: string
}

/** Returns a member's settings. A member without settings is notified if their role can act. */
export const noticeSettingsOf = ({
  role,
  notices,
}: {
  role: MemberRole
  notices?: NoticeSettings | undefined
}): NoticeSettings =>
  notices ?? { pace: role === 'member' ? 'OFF' : 'SOON', kinds: noticeKinds, quiet: null, timeZone: 'UTC' }

/** One matter that needs attention. Its id stays the same while the matter lasts. */
export type Notice = { id: string; kind: NoticeKind; text: string }

/** Pending notifications of one kind: their number, and the texts of the first few. */
type Gathered = { kind: NoticeKind; count: number; texts: readonly string[] }

/** Pending notifications of one person, and when the last e-mail was sent. */
export type PendingNotices = {
  personId: string
  gathered: readonly Gathered[]
  /** When the first pending notification was found; null if none is pending. */
  since: number | null
  sentAt: number | null
  /**
   * Until this time no other process e-mails the person: one is sending, or the mail server rejected the last e-mail.
   */
  writingUntil: number
  /** Number of attempts of this e-mail. Absent in older records. */
  attempts?: number
}

export type NoticeBook = {
  /** The organization's id. */
  id: string
  version: number
  /** When the organization was last searched for notifications. */
  lookedAt: number
  /** Recent notifications, with the time each was last found. They are gathered only once. */
  known: readonly { id: string; at: number }[]
  people: readonly PendingNotices[]
}

const textsMax = 5
const recentMax = 2_000
/** A notification found again within this time counts as the same one. */
const recentMs = 2 * 3_600_000
const gatherMs = 5 * 60_000
const betweenMs = 60 * 60_000
const morning = 8
/** Delay after each attempt of an e-mail. It also limits how long a dead process blocks the next one. */
const retryMs = [1, 5, 15, 60].map((minutes) => minutes * 60_000)
/** A change that a member can still prevent is e-mailed at any hour, minutes after it was found. */
const isUrgent = ({ gathered }: PendingNotices): boolean => gathered.some(({ kind }) => kind === 'CHANGE_HELD')

export const emptyBook = (id: string): NoticeBook => ({ id, version: 0, lookedAt: 0, known: [], people: [] })

const nobodyYet = (personId: string): PendingNotices => ({
  personId,
  gathered: [],
  since: null,
  sentAt: null,
  writingUntil: 0,
})

function gather(waiting: PendingNotices, fresh: readonly Notice[], at: number): PendingNotices {
  if (fresh.length === 0) return waiting
  const gathered = new Map(waiting.gathered.map((one) => [one.kind, one]))
  for (const { kind, text } of fresh) {
    const { count, texts } = gathered.get(kind) ?? { count: 0, texts: [] }
    gathered.set(kind, { kind, count: count + 1, texts: texts.length < textsMax ? [...texts, text] : texts })
  }
  return { ...waiting, gathered: [...gathered.values()], since: waiting.since ?? at }
}

type Reader = { personId: string; settings: NoticeSettings }

/**
 * Returns the record with the current notifications. Kinds that a person has switched off are not stored for that
 * person.
 */
export function withPending(
  book: NoticeBook,
  current: readonly Notice[],
  readers: readonly Reader[],
  at: number,
): NoticeBook {
  const before = new Set(book.known.map(({ id }) => id))
  const fresh = current.filter(({ id }) => !before.has(id))
  const now = new Map(book.known.filter((one) => one.at + recentMs > at).map((one) => [one.id, one]))
  for (const { id } of current) now.set(id, { id, at })
  const people = readers.map(({ personId, settings }) => {
    const waiting = book.people.find((one) => one.personId === personId) ?? nobodyYet(personId)
    if (settings.pace === 'OFF') return { ...waiting, gathered: [], since: null }
    return gather(
      waiting,
      fresh.filter(({ kind }) => settings.kinds.includes(kind)),
      at,
    )
  })
  return { ...book, lookedAt: at, known: [...now.values()].toSorted((a, b) => a.at - b.at).slice(-recentMax), people }
}

/** Returns the local day and hour. An unknown time zone counts as UTC. */
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

/** Whether non-urgent notifications may be sent now in a separate e-mail. */
export const isWaking = (settings: NoticeSettings, at: number): boolean =>
  !isQuiet(settings, at) && (settings.pace !== 'DAILY' || localOf(at, settings.timeZone).hour >= morning)

/** Whether an e-mail to a person is due. */
export function isDue(waiting: PendingNotices, settings: NoticeSettings, at: number): boolean {
  const { since, sentAt, writingUntil } = waiting
  if (since === null || settings.pace === 'OFF' || writingUntil > at) return false
  if (isUrgent(waiting)) return (sentAt ?? Number.NEGATIVE_INFINITY) + gatherMs <= at
  if (isQuiet(settings, at)) return false
  if (settings.pace === 'SOON') return since + gatherMs <= at && (sentAt ?? Number.NEGATIVE_INFINITY) + betweenMs <= at
  const local = localOf(at, settings.timeZone)
  return local.hour >= morning && (sentAt === null || localOf(sentAt, settings.timeZone).day < local.day)
}

const ofPerson = (
  book: NoticeBook,
  personId: string,
  change: (waiting: PendingNotices) => PendingNotices,
): NoticeBook => ({
  ...book,
  people: book.people.map((one) => (one.personId === personId ? change(one) : one)),
})

/**
 * Returns the record at the start of an e-mail. The delay is stored before the attempt and therefore holds even if the
 * process dies.
 */
export const withWriting = (book: NoticeBook, personId: string, at: number): NoticeBook =>
  ofPerson(book, personId, ({ attempts = 0, ...one }) => ({
    ...one,
    attempts: attempts + 1,
    writingUntil: at + retryMs[Math.min(attempts, retryMs.length - 1)]!,
  }))

/** Returns the record after an e-mail whose delivery is unknown. */
export const withDoubt = (book: NoticeBook, personId: string, at: number): NoticeBook =>
  ofPerson(book, personId, (one) => ({ ...one, writingUntil: at + betweenMs }))

/** Returns the record after a sent e-mail. Notifications found during sending stay pending. */
export const withSent = (book: NoticeBook, sent: PendingNotices, at: number): NoticeBook =>
  ofPerson(book, sent.personId, (one) => {
    const rest = one.gathered.flatMap((each) => {
      const emailed = sent.gathered.find(({ kind }) => kind === each.kind)
      if (!emailed) return [each]
      const count = each.count - emailed.count
      return count > 0 ? [{ ...each, count, texts: each.texts.slice(emailed.texts.length) }] : []
    })
    return { ...one, gathered: rest, since: rest.length > 0 ? at : null, sentAt: at, writingUntil: 0, attempts: 0 }
  })
