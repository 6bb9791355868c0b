import { rewrite } from '../../domain/concurrency'
import { plainText } from '../../domain/plain-text'
import { repeat } from '../../domain/repeat'
import { EmailRejected } from '../../domain/tenant/email-rejected'
import {
  emptyBook,
  isDue,
  type NoticeBook,
  type NoticeKind,
  type NoticeSettings,
  noticeSettingsOf,
  type PendingNotices,
  withDoubt,
  withPending,
  withSent,
  withWriting,
} from '../../domain/tenant/notices'
import type { Organization } from '../../domain/tenant/organization'
import type { Identity, Member, Memberships, NoticeBooks, SendEmail } from '../../ports/people'
import type { Organizations } from '../../ports/tenants'
import { type FindPorts, findNotices } from './find-notices'

type Dashboard = {
  identity: Pick<Identity, 'people'>
  memberships: Pick<Memberships, 'load'>
  send: SendEmail
  origin: string
}
type Ports = FindPorts & {
  dashboard: Dashboard | undefined
  organizations: Pick<Organizations, 'all'>
  noticeBooks: NoticeBooks
  onTrouble: (error: unknown) => void
}
type Mail = Dashboard & { send: NonNullable<SendEmail> }
type Reader = { personId: string; settings: NoticeSettings }

const tickMs = 15_000
const pollMs = 60_000
const endMs = 2_000
/** The record that lets one process run a round. It belongs to no organization. */
const roundId = 'round'
const nameMax = 64

const heads: Record<Exclude<NoticeKind, 'ENDPOINT_DISABLED'>, [one: string, more: string, page: string]> = {
  CHANGE_HELD: ['pending change of a recipient', 'pending changes of recipients', 'recipient-changes'],
  MEMBER_APPOINTED: ['new owner or admin', 'new owners or admins', 'members'],
  EXECUTION_ENDED: ['execution ended without a delivery', 'executions ended without a delivery', 'executions'],
  EXECUTION_WAITS: ['deposit has waited too long', 'deposits have waited too long', 'deposits'],
  QUOTA: ['quota warning', 'quota warnings', 'usage'],
  KEY_EXPIRES: ['API key expires soon', 'API keys expire soon', 'keys'],
  PAUSED: ['pause', 'pauses', 'operations'],
}

function textOf(waiting: PendingNotices, name: string, { name: whose, slug }: Organization, origin: string): string {
  const paragraphs = waiting.gathered.map(({ kind, count, texts }) => {
    const [one, more, page] = heads[kind as keyof typeof heads]
    const rest = count - texts.length
    const lines = [...texts.map((text) => `- ${text}`), ...(rest > 0 ? [`- and ${rest} more`] : [])]
    return [`${count} ${count === 1 ? one : more}:`, ...lines, `${origin}/app/${slug}/${page}`].join('\n')
  })
  return [
    `Hello ${plainText(name, nameMax)},`,
    `${plainText(whose, nameMax)} needs your attention.`,
    ...paragraphs,
    `Choose which e-mails you get, and when, here:\n${origin}/app/${slug}/notifications`,
  ].join('\n\n')
}

/**
 * E-mails members about what needs their attention. Findings are stored before they are e-mailed, once for all
 * processes, and one e-mail lists all of them. Each e-mail is sent at least once. It is sent twice only in two cases: a
 * process dies between sending and storing, or the mail server gave no result, which is retried an hour later.
 */
export function notificationEmails(ports: Ports) {
  const { noticeBooks, onTrouble } = ports
  let isEnding = false

  /** Searches one organization, unless another process has just done so. */
  async function gatherNotices(
    organization: Organization,
    members: readonly Member[],
    readers: readonly Reader[],
  ): Promise<NoticeBook | null> {
    const at = ports.now()
    const book = (await noticeBooks.load(organization.id)) ?? emptyBook(organization.id)
    if (book.lookedAt + pollMs > at) return null
    const turn = await noticeBooks.save({ ...book, lookedAt: at })
    if (turn === null) return null
    const notices = await findNotices(ports, organization, members)
    // Another process might have recorded an e-mail during the search.
    const change = (now: NoticeBook | null) => withPending(now ?? turn, notices, readers, at)
    return rewrite(noticeBooks, organization.id, change, { first: turn })
  }

  async function write(mail: Mail, organization: Organization, personId: string): Promise<void> {
    // Members who left after the round began get no e-mail.
    const membership = await mail.memberships.load(organization.id)
    const member = membership?.members.find((one) => one.personId === personId)
    if (!member) return
    const settings = noticeSettingsOf(member)
    let mine: PendingNotices | null = null
    await rewrite(noticeBooks, organization.id, (book) => {
      const waiting = book?.people.find((one) => one.personId === personId)
      mine = waiting && isDue(waiting, settings, ports.now()) ? waiting : null
      return mine && withWriting(book!, personId, ports.now())
    })
    const waiting = mine as PendingNotices | null
    const [person] = waiting ? await mail.identity.people([personId]) : []
    if (!waiting || !person) return
    const text = textOf(waiting, person.name, organization, mail.origin)
    const subject = `Switchyard: ${plainText(organization.name, nameMax)} needs attention`
    try {
      await mail.send({ to: person.email, subject, text })
    } catch (error) {
      onTrouble(error)
      const isRejected = error instanceof EmailRejected
      // An e-mail that might have arrived is retried later. A permanently refused e-mail is not retried.
      if (!isRejected)
        await rewrite(noticeBooks, organization.id, (book) => book && withDoubt(book, personId, ports.now()))
      if (!isRejected || !error.isForEver) return
    }
    await rewrite(noticeBooks, organization.id, (book) => book && withSent(book, waiting, ports.now()))
  }

  /** Lets one process at a time go through all organizations. If it dies, the next one takes over. */
  async function isMyTurn(): Promise<boolean> {
    const at = ports.now()
    const last = (await noticeBooks.load(roundId)) ?? emptyBook(roundId)
    return last.lookedAt + pollMs <= at && (await noticeBooks.save({ ...last, lookedAt: at })) !== null
  }

  async function round(mail: Mail): Promise<void> {
    if (!(await isMyTurn())) return
    for (const organization of await ports.organizations.all()) {
      if (isEnding) return
      const members = (await mail.memberships.load(organization.id))?.members ?? []
      const readers = members.map((member) => ({ personId: member.personId, settings: noticeSettingsOf(member) }))
      if (readers.every(({ settings }) => settings.pace === 'OFF')) continue
      await gatherNotices(organization, members, readers)
        .then(async (book) => {
          const due = readers.filter(({ personId, settings }) =>
            book?.people.some((one) => one.personId === personId && isDue(one, settings, ports.now())),
          )
          // E-mails go out one at a time. A failed e-mail does not stop the others.
          for (const reader of due) await write(mail, organization, reader.personId).catch(onTrouble)
        })
        .catch(onTrouble)
    }
  }

  async function run(): Promise<void> {
    const { dashboard } = ports
    if (dashboard?.send) await round({ ...dashboard, send: dashboard.send })
  }

  const ticking = repeat({ everyMs: tickMs, first: 'LATER', work: run, onTrouble })
  return {
    round: run,
    start: ticking.start,
    async stop(): Promise<void> {
      isEnding = true
      // A stopping process does not wait for a slow mail server. Another process sends the rest.
      const over = Promise.withResolvers<void>()
      const timer = setTimeout(over.resolve, endMs)
      await Promise.race([ticking.stop(), over.promise])
      clearTimeout(timer)
    },
  }
}
