import { sentenceTime } from '../domain/calendar'
import { plainText } from '../domain/plain-text'
import { isWaking, noticeSettingsOf } from '../domain/tenant/notices'
import type { Disabling, WebhookEndpoint } from '../domain/webhook/endpoint'
import type { Identity, Memberships, SendEmail } from '../ports/people'
import type { Organizations } from '../ports/tenants'
import type { NoteEmailed } from '../webhooks/disabled-notices'

type Ports = {
  identity: Pick<Identity, 'people'>
  memberships: Pick<Memberships, 'load'>
  send: SendEmail
  origin: string
}

const nameMax = 64
const why = {
  GONE: 'it answered 410 Gone, which means that it accepts no more events',
  FAILING: 'every delivery failed for five days',
} as const

/**
 * E-mails the owners and admins of an organization that Switchyard disabled a webhook endpoint; they may enable it
 * again. The e-mail names only the host, because the rest of the URL might be secret. Without a mail server, only the
 * log and the dashboard report it.
 *
 * @returns whether every member who wants the e-mail has been handled. False while some have quiet hours or get a
 * morning digest.
 * @throws {AggregateError} if no member could be reached.
 */
export const disabledEndpointEmail =
  (
    ports: Ports | undefined,
    organizations: Pick<Organizations, 'load'>,
    { now, onTrouble }: { now: () => number; onTrouble: (error: unknown) => void },
  ) =>
  async (
    { id, organizationId }: WebhookEndpoint,
    { at: disabledAt, reason, url, toldTo = [] }: Disabling,
    noteEmailed: NoteEmailed,
  ): Promise<boolean> => {
    if (!ports?.send) return true
    const { identity, memberships, send, origin } = ports
    const [organization, membership] = await Promise.all([
      organizations.load(organizationId),
      memberships.load(organizationId),
    ])
    const members = membership?.members ?? []
    const wanting = members.filter((member) => {
      const { pace, kinds } = noticeSettingsOf(member)
      return (
        (member.role === 'owner' || member.role === 'admin') && pace !== 'OFF' && kinds.includes('ENDPOINT_DISABLED')
      )
    })
    const at = now()
    const waking = wanting.filter((member) => isWaking(noticeSettingsOf(member), at))
    const ids = waking.map(({ personId }) => personId)
    const whose = plainText(organization?.name ?? organizationId, nameMax)
    const failures: unknown[] = []
    const people = (await identity.people(ids)).filter(({ id: personId }) => !toldTo.includes(personId))
    for (const { id: personId, name, email } of people) {
      const text = [
        `Hello ${plainText(name, nameMax)},`,
        `Switchyard disabled the webhook endpoint of ${whose} at ${new URL(url).host} on ${sentenceTime(disabledAt)}, ` +
          `because ${why[reason]}.`,
        'Enable it again here. It then receives the events of the last seven days that it missed:',
        `${origin}/app/${organization?.slug ?? ''}/webhooks/${id}`,
      ].join('\n\n')
      const message = { to: email, subject: 'Switchyard: a webhook endpoint was disabled', text }
      const isSent = await send(message).then(
        () => true,
        (error) => {
          failures.push(error)
          return false
        },
      )
      // Stored after each e-mail: after a crash between two, at most one member is e-mailed twice.
      if (isSent) await noteEmailed(personId)
    }
    // One reached member is enough.
    if (failures.length > 0 && failures.length === people.length && toldTo.length === 0)
      throw new AggregateError(failures, `No member could be e-mailed about ${id}`)
    for (const failure of failures) onTrouble(failure)
    return wanting.every((member) => waking.includes(member) || toldTo.includes(member.personId))
  }
