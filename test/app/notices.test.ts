import { beforeEach, expect, test } from 'bun:test'
import { notificationEmails } from '../../src/app/notices/notification-emails'
import { EmailRejected } from '../../src/domain/tenant/email-rejected'
import type { NoticeSettings } from '../../src/domain/tenant/notices'
import type { Overdue } from '../../src/ports/observing'
import type { Member, Membership } from '../../src/ports/people'
import { executionOf } from '../support/deposits'
import { pausesInMemory } from '../support/pauses'
import { recordsOf } from '../support/records'
import { storeInMemory } from '../support/stores'

const minute = 60_000
const begun = Date.UTC(2026, 10, 21, 10)
type Email = { to: string; subject: string; text: string }
const settings: NoticeSettings = {
  ...{ pace: 'SOON', kinds: ['EXECUTION_ENDED', 'PAUSED', 'KEY_EXPIRES', 'QUOTA', 'EXECUTION_WAITS'] },
  ...{ quiet: null, timeZone: 'UTC' },
} as const

/** An organization with an owner, and processes that send its e-mails. */
async function worldOf() {
  const clock = { now: begun }
  const store = storeInMemory()
  const pauses = pausesInMemory()
  const memberships = recordsOf<Membership>('memberships')
  const emails: Email[] = []
  const troubles: unknown[] = []
  const used = { count: 0 }
  const overdue: Overdue[] = []
  const mail = { isDown: false, fault: new EmailRejected(false) as Error, onSend: async () => {} }
  const organization = { id: 'org_1', version: 0, name: 'Acme', slug: 'acme', salt: '0x1', plan: 'free' }
  await store.organizations.save({ ...organization, customPlan: null, isPlatform: false, createdAt: 0 } as never)
  const seat = async (members: Partial<Member>[]) => {
    const known = await memberships.load('org_1')
    const seated = members.map((one, n) => ({ personId: `p${n}`, role: 'owner' as const, joinedAt: 0, ...one }))
    await memberships.save({ id: 'org_1', version: known?.version ?? 0, members: seated })
  }
  await seat([{}])
  const process = () =>
    notificationEmails({
      ...store,
      pauses,
      executions: { countQuota: async () => used.count },
      overdue: { list: async () => overdue },
      dashboard: {
        identity: { people: async (ids) => ids.map((id) => ({ id, name: `Name of ${id}`, email: `${id}@x.test` })) },
        memberships,
        send: async (email) => {
          await mail.onSend()
          if (mail.isDown) throw mail.fault
          emails.push(email)
        },
        origin: 'https://switchyard.test',
      },
      now: () => clock.now,
      onTrouble: (error) => void troubles.push(error),
    })
  /** Runs a process's check once a minute. */
  const pass = async (minutes: number, one = process()) => {
    for (let n = 0; n < minutes; n++) {
      clock.now += minute
      await one.round()
    }
  }
  const fail = (from: number, count: number, status = 'DEAD_LETTER') =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        store.executions.save({
          ...executionOf(from + n),
          ...{
            organizationId: 'org_1',
            state: status,
            status,
            createdAt: clock.now,
            completedAt: clock.now,
            dueAt: null,
            version: 0,
          },
        } as never),
      ),
    )
  return { clock, store, pauses, memberships, emails, troubles, used, overdue, mail, seat, process, pass, fail }
}
let world: Awaited<ReturnType<typeof worldOf>>
beforeEach(async () => {
  world = await worldOf()
})

test('an outage of a thousand deposits is one e-mail, and later ones are in the next e-mail an hour after', async () => {
  await world.fail(1, 600)
  await world.pass(2)
  await world.fail(1_000, 400)
  await world.pass(20)
  expect(world.emails.map(({ to, subject }) => [to, subject])).toEqual([
    ['p0@x.test', 'Switchyard: Acme needs attention'],
  ])
  const [{ text }] = world.emails as [Email]
  expect(text).toContain('1000 executions ended without a delivery:')
  expect(text).toContain('- and 995 more')
  expect(text).toContain('https://switchyard.test/app/acme/executions')
  await world.fail(2_000, 1)
  await world.pass(60)
  expect(world.emails).toHaveLength(2)
  expect(world.emails[1]!.text).toContain('1 execution ended without a delivery:')
  await world.pass(300)
  expect(world.emails).toHaveLength(2)
})

test('a pending recipient change is e-mailed within minutes, even in quiet hours or after another e-mail', async () => {
  world.used.count = 1_000_000
  await world.pass(6)
  expect(world.emails).toHaveLength(1)
  const notices = { ...settings, pace: 'DAILY', kinds: ['CHANGE_HELD'], quiet: { from: 0, to: 23 } } as const
  await world.seat([{}, { notices }, { role: 'member' }, { notices: { ...notices, kinds: [] } }])
  const target = { targetAddress: '0xnew', targetChainId: 1, targetTokenAddress: '0x1', refundAddress: null }
  const change = {
    id: '0xaccount',
    version: 0,
    organizationId: 'org_1',
    userId: 'ann',
    target,
    of: 1,
    state: 'WAITING',
  }
  const from = begun + 60 * minute
  await world.store.heldChanges.save({ ...change, from, askedAt: begun, personId: null, seal: 'x' } as never)
  await world.pass(8)
  const [first, second] = world.emails.slice(1)
  expect([first!.to, second!.to].toSorted()).toEqual(['p0@x.test', 'p1@x.test'])
  expect(first!.text).toContain(
    '1 pending change of a recipient:\n- Deposits to 0xaccount will go to 0xnew. The change waits until 21 November 2026, 11:00 UTC.',
  )
  expect(first!.text).toContain('https://switchyard.test/app/acme/recipient-changes')
  await world.pass(50)
  expect(world.emails).toHaveLength(3)
})

test('existing owners and admins are e-mailed about a new one, without naming the person', async () => {
  const appointed = { at: begun + minute, by: 'p0' }
  await world.seat([{}, { role: 'admin', appointed }, { role: 'operator', appointed, notices: settings }])
  await world.pass(10)
  const [email] = world.emails.filter(({ to }) => to === 'p0@x.test')
  expect(email!.text).toContain('1 new owner or admin:\n- A member became admin on 21 November 2026, 10:01 UTC.')
  expect(email!.text).toContain('https://switchyard.test/app/acme/members')
  await world.pass(100)
  expect(world.emails.filter(({ to }) => to === 'p0@x.test')).toHaveLength(1)
})

test('several processes send each e-mail once', async () => {
  await world.fail(1, 1)
  const all = [world.process(), world.process(), world.process()]
  for (let n = 0; n < 10; n++) {
    world.clock.now += minute
    await Promise.all(all.map((one) => one.round()))
  }
  expect(world.emails).toHaveLength(1)
})

test('an unreachable mail server is tried again, and everything is in one e-mail then', async () => {
  world.mail.isDown = true
  await world.fail(1, 3)
  await world.pass(10)
  await world.fail(10, 2)
  await world.pass(90)
  // Found after a minute, due five minutes later, and tried again 1, 5, 15 and 60 minutes after that.
  expect([world.emails.length, world.troubles.length]).toEqual([0, 5])
  world.mail.isDown = false
  await world.pass(60)
  expect(world.emails).toHaveLength(1)
  expect(world.emails[0]!.text).toContain('5 executions')
})

test('a person who left or turned e-mails off while others were written to gets none', async () => {
  const all = [{}, {}, { notices: settings }]
  await world.seat(all)
  await world.fail(1, 1)
  world.mail.onSend = async () => {
    await world.seat([{}, { notices: { ...settings, pace: 'OFF' } }])
  }
  await world.pass(20)
  expect(world.emails.map(({ to }) => to)).toEqual(['p0@x.test'])
})

/** Sends an e-mail to a server that fails once. `later` e-mails follow after so many minutes, and later ones are sent. */
async function sentAfter(fault: Error, minutes: number, later: number): Promise<void> {
  Object.assign(world.mail, { isDown: true, fault })
  await world.fail(1, 1)
  await world.pass(6 + minutes)
  expect(world.troubles).toHaveLength(1)
  world.mail.isDown = false
  await world.pass(10)
  expect(world.emails).toHaveLength(later)
  await world.fail(5, 1)
  await world.pass(70)
  expect(world.emails).toHaveLength(later + 1)
}

test('an e-mail with an unknown outcome is sent again an hour later', () => sentAfter(new Error('Timed out'), 58, 1))
test('an e-mail that is permanently refused is not sent again', () => sentAfter(new EmailRejected(true), 200, 0))

test('another process continues a minute after one died while sending, and no stored notification is lost', async () => {
  await world.fail(1, 1)
  const isWriting = Promise.withResolvers<void>()
  world.mail.onSend = () => {
    isWriting.resolve()
    return new Promise(() => {}) // It never resolves.
  }
  const dying = world.process()
  await world.pass(5, dying)
  world.clock.now += minute
  void dying.round()
  await isWriting.promise
  world.mail.onSend = async () => {}
  await world.pass(3)
  expect(world.emails).toHaveLength(1)
})

test('pending changes, quotas, expiring keys and pauses are each reported once', async () => {
  const { store, used, overdue, pauses } = world
  used.count = 800
  const key = { digest: 'd', prefix: 'p', organizationId: 'org_1', role: 'CLIENT', createdAt: 0, lastUsedAt: null }
  const expiresAt = begun + 3 * 86_400_000
  for (const [id, at] of [
    ['key_1', expiresAt],
    ['key_2', begun + 30 * 86_400_000],
  ] as const)
    await store.apiKeys.save({ ...key, digest: id, id, version: 0, label: id, expiresAt: at, revokedAt: at } as never)
  overdue.push({ id: 'LANE:x', message: 'It waits.', executionId: null, depositId: 'x' } as never)
  const pause = { version: 0, reason: 'r', until: null, by: 'x', updatedAt: 1, createdAt: 1, resumedAt: null }
  for (const id of ['organization:org_1', 'chain:8453', 'organization:org_2', 'provider:lifi'])
    await pauses.save({ ...pause, id })
  await world.pass(200)
  expect(world.emails).toHaveLength(1)
  const [{ text }] = world.emails as [Email]
  for (const part of [
    '1 deposit has waited too long:\n- x: It waits.',
    '800 of the 1000 executions of this month have been used.',
    'The API key key_1 stops working on 24 November 2026, 10:00 UTC.',
    '2 pauses:',
    'Routing of this organization is paused.',
    'The platform has paused base.',
  ])
    expect(text).toContain(part)
  expect(text).not.toContain('key_2')
  used.count = 1_000
  await world.pass(61)
  expect(world.emails).toHaveLength(2)
})

test('the pause of a chain that this release no longer has is not reported', async () => {
  const pause = { version: 0, reason: 'r', until: null, by: 'x', updatedAt: 1, createdAt: 1, resumedAt: null }
  for (const id of ['chain:10', 'chain:8453']) await world.pauses.save({ ...pause, id })
  await world.pass(200)
  expect(world.emails.map(({ text }) => text.match(/The platform has paused .*/g))).toEqual([
    ['The platform has paused base. Deposits are still found, but they wait.'],
  ])
})

test('each member gets e-mails as chosen, and a member without rights gets none unless requested', async () => {
  await world.seat([
    { role: 'owner', notices: { ...settings, pace: 'OFF' } },
    { role: 'operator', notices: { ...settings, kinds: ['QUOTA'] } },
    { role: 'member' },
    { role: 'member', notices: settings },
    { role: 'admin', notices: { ...settings, quiet: { from: 9, to: 12 } } },
  ])
  await world.fail(1, 1)
  await world.pass(30)
  expect(world.emails.map(({ to }) => to)).toEqual(['p3@x.test'])
  await world.pass(95)
  expect(world.emails.map(({ to }) => to)).toEqual(['p3@x.test', 'p4@x.test'])
})
