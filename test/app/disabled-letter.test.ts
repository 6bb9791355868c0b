import { expect, test } from 'bun:test'
import { disabledLetter } from '../../src/app/disabled-letter'
import type { MemberRole } from '../../src/domain/tenant/member-role'
import type { NoticeSettings } from '../../src/domain/tenant/notices'
import { disabledByService, newFeed } from '../../src/domain/webhook/endpoint'
import { endpointOf } from '../support/webhooks'

const at = Date.UTC(2026, 10, 21, 10)
const secretUrl = 'https://hooks.example.com/path-that-is-a-secret'
const endpoint = { ...endpointOf('whe_1', 'org_a', at), url: secretUrl }
const stored = disabledByService(endpoint, 'FAILING', newFeed(endpoint), at)

async function lettersTo(
  roles: MemberRole[],
  { hasMail = true, bouncing = '', toldTo = [] as string[], notices = [] as NoticeSettings[], now = at } = {},
) {
  const troubles: unknown[] = []
  const letters: { to: string; subject: string; text: string }[] = []
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
      ? async (letter: (typeof letters)[number]) => {
          if (bouncing.includes(letter.to)) throw new Error(`${letter.to} bounces`)
          letters.push(letter)
        }
      : null,
    origin: 'https://switchyard.example',
  }
  const organizations = { load: async () => ({ name: 'Acme', slug: 'acme' }) as never }
  const noted: string[] = []
  const disabling = { ...stored.disablings!.at(-1)!, toldTo }
  const tell = disabledLetter(ports, organizations, { now: () => now, onTrouble: (error) => troubles.push(error) })
  const isDone = await tell(stored, disabling, async (personId) => {
    expect(letters).toHaveLength(noted.push(personId)) // before the next letter is written
  })
  return Object.assign(letters, { troubles, noted, isDone })
}

test('the owners and admins are written to, why and where to enable it again, without the secret in its path', async () => {
  const letters = await lettersTo(['owner', 'operator', 'admin', 'member'])
  expect(letters.map(({ to }) => to)).toEqual(['owner@example.com', 'admin@example.com'])
  const [{ text, subject }] = letters as unknown as [(typeof letters)[number]]
  expect(subject).toBe('Switchyard: a webhook endpoint was disabled')
  for (const part of [
    'Hello owner,',
    'of Acme at hooks.example.com on 21 November 2026, 10:00 UTC, because every delivery failed for five days.',
    'https://switchyard.example/app/acme/webhooks/whe_1',
  ])
    expect(text).toContain(part)
  expect(text).not.toContain('secret')
})

test('whoever was written to is noted before the next one, and is not written to again', async () => {
  expect((await lettersTo(['owner', 'admin'])).noted).toEqual(['p0', 'p1'])
  const rest = await lettersTo(['owner', 'admin'], { toldTo: ['p0'] })
  expect(rest.map(({ to }) => to)).toEqual(['admin@example.com'])
  // Somebody has been reached, so that the last one cannot be is no reason to begin again.
  await lettersTo(['owner', 'admin'], { toldTo: ['p0'], bouncing: 'admin@example.com' })
})

test('who has quiet hours, or letters in the morning alone, is written to afterwards, and nobody twice', async () => {
  const kinds = ['ENDPOINT_DISABLED'] as const
  const soon = { pace: 'SOON', kinds, quiet: null, timeZone: 'UTC' } as const
  const asleep = { ...soon, quiet: { from: 22, to: 7 }, timeZone: 'Asia/Tokyo' }
  const daily = { ...soon, pace: 'DAILY', timeZone: 'America/Los_Angeles' } as const
  const off = { ...asleep, pace: 'OFF' } as const
  const notices = [soon, asleep, daily, off, { ...asleep, kinds: [] }]
  const roles: MemberRole[] = notices.map(() => 'owner')
  const hour = 3_600_000
  // Ten at night is seven hours off in Tokyo: 13 UTC to 22 UTC. In Los Angeles it is eight at 16 UTC.
  const midnight = Date.UTC(2026, 10, 21)
  const at14 = await lettersTo(roles, { notices, now: midnight + 14 * hour })
  expect([at14.noted, at14.isDone]).toEqual([['p0'], false])
  const at16 = await lettersTo(roles, { notices, now: midnight + 16 * hour, toldTo: ['p0'] })
  expect([at16.noted, at16.isDone]).toEqual([['p2'], false])
  const at22 = await lettersTo(roles, { notices, now: midnight + 22 * hour, toldTo: ['p0', 'p2'] })
  expect([at22.noted, at22.isDone]).toEqual([['p1'], true])
})

test('without a mail server nobody is written to, and that is no failure', async () => {
  expect([...(await lettersTo(['owner'], { hasMail: false }))]).toEqual([])
})

test('whose letter bounces keeps the others from none, and it is a failure only when nobody was reached', async () => {
  const letters = await lettersTo(['owner', 'admin'], { bouncing: 'owner@example.com' })
  expect(letters.map(({ to }) => to)).toEqual(['admin@example.com'])
  expect(letters.troubles.map(String)).toEqual(['Error: owner@example.com bounces'])
  expect(lettersTo(['owner'], { bouncing: 'owner@example.com' })).rejects.toThrow('No member could be e-mailed')
})
