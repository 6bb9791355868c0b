import { expect, test } from 'bun:test'
import { disabledEndpointEmail } from '../../src/app/disabled-endpoint-email'
import type { MemberRole } from '../../src/domain/tenant/member-role'
import type { NoticeSettings } from '../../src/domain/tenant/notices'
import { disabledByService, newFeed } from '../../src/domain/webhook/endpoint'
import { endpointOf } from '../support/webhooks'

const at = Date.UTC(2026, 10, 21, 10)
const secretUrl = 'https://hooks.example.com/path-that-is-a-secret'
const endpoint = { ...endpointOf('whe_1', 'org_a', at), url: secretUrl }
const stored = disabledByService(endpoint, 'FAILING', newFeed(endpoint), at)

async function emailsTo(
  roles: MemberRole[],
  { hasMail = true, bouncing = '', toldTo = [] as string[], notices = [] as NoticeSettings[], now = at } = {},
) {
  const troubles: unknown[] = []
  const emails: { to: string; subject: string; text: string }[] = []
  const people = roles.map((role, n) => ({ id: `p${n}`, email: `${role}@example.com`, name: `${role}\u202e` }))
  const ports = {
    identity: { people: async (ids: readonly string[]) => people.filter(({ id }) => ids.includes(id)) },
    memberships: {
      load: async (id: string) => {
        expect(id).toBe('org_a')
        return {
          id,
          version: 1,
          members: roles.map((role, n) => ({
            personId: `p${n}`,
            role,
            joinedAt: 0,
            ...(notices[n] && { notices: notices[n] }),
          })),
        }
      },
    },
    send: hasMail
      ? async (email: (typeof emails)[number]) => {
          if (bouncing.includes(email.to)) throw new Error(`${email.to} bounces`)
          emails.push(email)
        }
      : null,
    origin: 'https://switchyard.example',
  }
  const organizations = { load: async () => ({ name: 'Acme', slug: 'acme' }) as never }
  const noted: string[] = []
  const disabling = { ...stored.disablings!.at(-1)!, toldTo }
  const notify = disabledEndpointEmail(ports, organizations, {
    now: () => now,
    onTrouble: (error) => troubles.push(error),
  })
  const isDone = await notify(stored, disabling, async (personId) => {
    expect(emails).toHaveLength(noted.push(personId)) // before the next e-mail is sent
  })
  return Object.assign(emails, { troubles, noted, isDone })
}

test('an e-mail gives owners and admins the reason and the link to enable the endpoint, without the secret in its path', async () => {
  const emails = await emailsTo(['owner', 'operator', 'admin', 'member'])
  expect(emails.map(({ to }) => to)).toEqual(['owner@example.com', 'admin@example.com'])
  const [{ text, subject }] = emails as unknown as [(typeof emails)[number]]
  expect(subject).toBe('Switchyard: a webhook endpoint was disabled')
  for (const part of [
    'Hello owner,',
    'of Acme at hooks.example.com on 21 November 2026, 10:00 UTC, because every delivery failed for five days.',
    'https://switchyard.example/app/acme/webhooks/whe_1',
  ])
    expect(text).toContain(part)
  expect(text).not.toContain('secret')
})

test('each recipient is recorded before the next one, and gets no second e-mail', async () => {
  expect((await emailsTo(['owner', 'admin'])).noted).toEqual(['p0', 'p1'])
  const rest = await emailsTo(['owner', 'admin'], { toldTo: ['p0'] })
  expect(rest.map(({ to }) => to)).toEqual(['admin@example.com'])
  // One person has been reached, so a failure for the last one is no reason to start again.
  await emailsTo(['owner', 'admin'], { toldTo: ['p0'], bouncing: 'admin@example.com' })
})

test('a person in quiet hours or with daily e-mails gets the e-mail afterwards, and only once', async () => {
  const kinds = ['ENDPOINT_DISABLED'] as const
  const soon = { pace: 'SOON', kinds, quiet: null, timeZone: 'UTC' } as const
  const asleep = { ...soon, quiet: { from: 22, to: 7 }, timeZone: 'Asia/Tokyo' }
  const daily = { ...soon, pace: 'DAILY', timeZone: 'America/Los_Angeles' } as const
  const off = { ...asleep, pace: 'OFF' } as const
  const notices = [soon, asleep, daily, off, { ...asleep, kinds: [] }]
  const roles: MemberRole[] = notices.map(() => 'owner')
  const hour = 3_600_000
  // In Tokyo, quiet hours from ten to seven are 13 UTC to 22 UTC. In Los Angeles it is eight at 16 UTC.
  const midnight = Date.UTC(2026, 10, 21)
  const at14 = await emailsTo(roles, { notices, now: midnight + 14 * hour })
  expect([at14.noted, at14.isDone]).toEqual([['p0'], false])
  const at16 = await emailsTo(roles, { notices, now: midnight + 16 * hour, toldTo: ['p0'] })
  expect([at16.noted, at16.isDone]).toEqual([['p2'], false])
  const at22 = await emailsTo(roles, { notices, now: midnight + 22 * hour, toldTo: ['p0', 'p2'] })
  expect([at22.noted, at22.isDone]).toEqual([['p1'], true])
})

test('no e-mail is sent without a mail server, and that is no failure', async () => {
  expect([...(await emailsTo(['owner'], { hasMail: false }))]).toEqual([])
})

test('a bouncing e-mail does not stop the others, and is a failure only if no person was reached', async () => {
  const emails = await emailsTo(['owner', 'admin'], { bouncing: 'owner@example.com' })
  expect(emails.map(({ to }) => to)).toEqual(['admin@example.com'])
  expect(emails.troubles.map(String)).toEqual(['Error: owner@example.com bounces'])
  expect(emailsTo(['owner'], { bouncing: 'owner@example.com' })).rejects.toThrow('No member could be e-mailed')
})
