import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { follow } from '../../../machines/execution'
import { contrastOf, inkOn } from '../../../src/domain/tenant/deposit-page'
import { payLinkOf, payToken } from '../../../src/http/pay/pay-token'
import { lifeFailed, lifeUntil } from '../../../src/http/webhooks/sample-life'
import { membersWorld } from '../../dashboard/sign-in/members-world'
import { sightingOf } from '../../support/deposits'
import { vault } from '../../support/webhooks'
import { target, usdc } from '../world'

const color = '#0b7285'
const page = { isOn: true, name: 'Acme <b>Wallet</b>', color }

/** An organization that has switched its page on, and a user of each of two organizations. */
async function paying() {
  const world = await membersWorld()
  const { as, ask, client, stranger } = world
  for (const key of [client, stranger]) await ask('/api/deposit-intents', { key, body: { userId: 'yara', ...target } })
  await as('owner', '/deposit-page', { method: 'PUT', body: page })
  const link = async (role = 'owner', body: object = { userId: 'yara' }) => as(role, '/deposit-page/links', { body })
  const pathOf = (url: string) => new URL(url).pathname
  const made = (await link()).json as { url: string; expiresAt: string }
  const open = async (query = '', path = pathOf(made.url)) => {
    const { status, text, headers } = await ask(`${path}${query}`)
    return { status, text, headers }
  }
  const { json: shown } = await ask('/api/users/yara/deposit-address', { key: client })
  const account = shown.depositAddress as `0x${string}`
  return { ...world, link, made, open, pathOf, account, token: pathOf(made.url).split('/').at(-1)! }
}

test('a link shows the address, the least amount, the fee and what arrives, in the organization’s name and colour', async () => {
  const { open, account, made, clock } = await paying()
  expect(made.expiresAt).toBe(new Date(clock.now + 3_600_000).toISOString())
  const { status, text, headers } = await open(`?asset=8453:${usdc.base}&amount=25`)
  expect(status).toBe(200)
  for (const part of [
    account,
    'Acme &lt;b&gt;Wallet&lt;/b&gt;',
    `background:${color};color:${inkOn(color)}`,
    '0.073728 USDC',
    '0.5 %, which is 0.125 USDC',
    'It arrives as USDC on Arbitrum.',
    'Nothing has arrived yet.',
    'role="img" aria-label="QR code to send USDC on Base by a wallet"',
  ])
    expect(text).toContain(part)
  expect((await open()).text).toContain('aria-label="QR code of the address"')
  for (const part of ['<b>', 'yara', 'org_a', target.targetAddress]) expect(text).not.toContain(part)
  const policy = headers.get('content-security-policy')!
  const nonce = /script-src 'nonce-([0-9a-f]{32})'/.exec(policy)![1]
  expect(policy).toStartWith("default-src 'none'; ")
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect(text.split(`nonce="${nonce}"`).length).toBe(3)
  expect(text).not.toMatch(/(src|href)="(?!data:)/)
  expect(text).not.toMatch(/ (style|on\w+)="/)
  for (const [name, value] of [
    ['cache-control', 'no-store'],
    ['referrer-policy', 'no-referrer'],
    ['x-robots-tag', 'noindex'],
  ] as const)
    expect(headers.get(name)).toBe(value)
})

test('what is too little, no number or no token of ours is said or ignored', async () => {
  const { open } = await paying()
  expect((await open('?amount=0.01')).text).toContain('less than the least amount')
  for (const amount of ['1e3', '-1', '0', '<script>'])
    expect((await open(`?amount=${encodeURIComponent(amount)}`)).text).toContain('not a number of this token')
  expect((await open(`?asset=${encodeURIComponent('"><script>')}`)).status).toBe(200)
  expect((await open(`?amount=${encodeURIComponent('"><script>alert(1)')}`)).text).not.toContain('<script>alert')
})

test('a deposit is told from when it is seen until it is delivered, and those from before the link are not', async () => {
  const { open, store, account, clock } = await paying()
  const whose = { organizationId: 'org_a', userId: 'yara', account, token: usdc.base, amountRaw: '25000000' } as const
  await store.sightings.save(sightingOf(7, { ...whose, detectedAt: clock.now - 60_000 }))
  expect((await open()).text).toContain('Nothing has arrived yet.')
  const at = clock.now + 20_000
  await store.sightings.save(sightingOf(8, { ...whose, detectedAt: at }))
  clock.now = at + 10_000
  expect((await open()).text).toMatch(/Seen<\/strong> <span>25 USDC on Base.*of 10 confirmations/)
  const own = { organizationId: 'org_a', userId: 'yara' }
  await store.executions.save({ ...lifeUntil('transaction mined', clock.now), ...own })
  expect((await open()).text).toMatch(/class="busy">On its way/)
  const known = (await store.executions.load(lifeUntil(null, 0).id))!
  const { facts } = lifeUntil('funds delivered', clock.now)
  await store.executions.save(follow(known, { type: 'funds delivered', at: clock.now, facts }))
  expect((await open()).text).toMatch(/class="ok">Delivered<.*24.831711 USDC arrived on Arbitrum/)
})

test('what was stopped says whom to ask, and not why', async () => {
  const { open, store, clock } = await paying()
  clock.now += 60_000
  const own = { organizationId: 'org_a', userId: 'yara' }
  await store.executions.save({ ...lifeFailed('TOKEN_BLACKLISTED', clock.now), ...own })
  const { text } = await open()
  expect(text).toMatch(/class="bad">Stopped<.*Ask Acme/)
  expect(text).not.toMatch(/security|blacklist/i)
})

test('a link shows one user of one organization', async () => {
  const { open, store, clock } = await paying()
  clock.now += 60_000
  const life = lifeUntil('balance verified', clock.now)
  const others = [
    { organizationId: 'org_b', userId: 'yara' },
    { organizationId: 'org_a', userId: 'zoe' },
  ]
  for (const [n, whose] of others.entries()) await store.executions.save({ ...life, ...whose, id: `${life.id}${n}` })
  expect((await open()).text).toContain('Nothing has arrived yet.')
  await store.executions.save({ ...life, organizationId: 'org_a', userId: 'yara' })
  expect((await open()).text).toContain('On its way')
})

test('no link works that was made up, changed, or whose time is over, and all say the same', async () => {
  const { open, token, clock, account } = await paying()
  const flipped = (n: number) => `${token.slice(0, n)}${token[n] === 'A' ? 'B' : 'A'}${token.slice(n + 1)}`
  const other = { seal: (text: string) => vault.seal(text, 'another purpose') }
  const link = { account, madeAt: clock.now, expiresAt: clock.now + 60_000 }
  const plain = (text: string) => text.replaceAll(/nonce="\w+"/g, '')
  const answers = new Set<string>()
  const strange = ['x', account, flipped(0), flipped(30), flipped(token.length - 1), `${token}A`, 'A'.repeat(5_000)]
  for (const each of [...strange, payToken(other, link), payToken(vault, { ...link, expiresAt: clock.now })]) {
    const { status, text } = await open('', `/pay/${each}`)
    expect([each.slice(0, 20), status]).toEqual([each.slice(0, 20), 404])
    answers.add(plain(text))
  }
  expect((await open()).status).toBe(200)
  clock.now += 3_600_000
  const { status, text } = await open()
  expect([status, answers.add(plain(text)).size]).toEqual([404, 1])
  expect(text).not.toContain('Acme')
})

test('once the page is switched off no link works, and those from before do not come back', async () => {
  const { open, as, link, clock, pathOf } = await paying()
  await as('owner', '/deposit-page', { method: 'PUT', body: { ...page, isOn: false } })
  expect((await open()).status).toBe(404)
  expect((await link()).status).toBe(404)
  clock.now += 1_000
  await as('owner', '/deposit-page', { method: 'PUT', body: page })
  expect((await open()).status).toBe(404)
  const { json } = await link()
  expect((await open('', pathOf(json.url))).status).toBe(200)
})

test('a link is made of the organization’s own users alone, is noted, and works for a day at most', async () => {
  const { link, as, store } = await paying()
  expect((await link('owner', { userId: 'nobody' })).json.message).toBe('No account for this user')
  for (const minutes of [4, 1_441, 1.5]) expect((await link('owner', { userId: 'yara', minutes })).status).toBe(400)
  for (const body of [
    { ...page, color: 'red;}' },
    { ...page, name: '' },
    { ...page, color: '#12345' },
  ])
    expect((await as('owner', '/deposit-page', { method: 'PUT', body })).status).toBe(400)
  const { json } = await as('owner', '/operator/audit')
  expect(json.map(({ verb }: { verb: string }) => verb).toSorted()).toEqual([
    'deposit_page.edit',
    'deposit_page.link',
    'intent.create',
  ])
  expect((await store.organizations.load('org_b'))!.depositPage ?? null).toBe(null)
})

test('who guesses is stopped, whatever they guess', async () => {
  const { open } = await paying()
  const statuses: number[] = []
  for (let n = 0; n < 70; n++) statuses.push((await open('', `/pay/guess${n}`)).status)
  expect([statuses[0], statuses.at(-1)]).toEqual([404, 429])
})

test('whatever the colour, what is written on it can be read', () => {
  const channel = fc.integer({ min: 0, max: 255 }).map((n) => n.toString(16).padStart(2, '0'))
  fc.assert(
    fc.property(channel, channel, channel, (r, g, b) => {
      expect(contrastOf(`#${r}${g}${b}`, inkOn(`#${r}${g}${b}`))).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

test('a token tells nothing to whoever reads it, and each is another', () => {
  const link = { account: '0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C', madeAt: 1, expiresAt: 10 } as const
  const [one, other] = [payToken(vault, link), payToken(vault, link)]
  expect(one).not.toBe(other)
  expect(one).toMatch(/^[\w-]+$/)
  expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('25fa55')
  expect([payLinkOf(vault, one, 9), payLinkOf(vault, one, 10)]).toEqual([link, null])
})
