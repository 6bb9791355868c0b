import { Elysia } from 'elysia'
import { type } from '../../domain/schema'
import {
  isTimeZone,
  type NoticeSettings,
  noticeKinds,
  noticePaces,
  noticeSettingsOf,
} from '../../domain/tenant/notices'
import type { SendEmail } from '../../ports/people'
import { Refusal } from '../request/failure'
import { everybody, memberSession, rewriteOwn, type SessionPorts } from './member-session'

type Ports = SessionPorts & {
  send: SendEmail
}

const Hour = type('0 <= number.integer <= 23')
const Settings = type({
  pace: type.enumerated(...noticePaces),
  kinds: type
    .enumerated(...noticeKinds)
    .array()
    .atMostLength(noticeKinds.length),
  quiet: type({ from: Hour, to: Hour }).or('null'),
  timeZone: '1 <= string <= 64',
})

export type NotificationsView = NoticeSettings & { canMail: boolean }

/** The signed-in member's notification settings for the selected organization. */
export const notificationRoutes = (ports: Ports) => {
  const viewOf = (settings: NoticeSettings): NotificationsView => ({ ...settings, canMail: ports.send !== null })
  return new Elysia()
    .use(memberSession(ports, everybody))
    .get('/notifications', ({ session: { membership, person } }): NotificationsView => {
      const member = membership.members.find(({ personId }) => personId === person.id)!
      return viewOf(noticeSettingsOf(member))
    })
    .put(
      '/notifications',
      async ({ session, body }): Promise<NotificationsView> => {
        const { pace, kinds, quiet, timeZone } = body
        if (!isTimeZone(timeZone))
          throw new Refusal('VALIDATION_FAILED', {
            message: 'timeZone must be an IANA time zone, such as Europe/Berlin',
          })
        const notices: NoticeSettings = { pace, kinds: [...new Set(kinds)], quiet, timeZone }
        await rewriteOwn(ports, session, (member) => ({ ...member, notices }))
        return viewOf(notices)
      },
      { body: Settings },
    )
}
