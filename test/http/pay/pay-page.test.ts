import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { follow } from '../../../machines/execution'
import type { ApiPorts } from '../../../src/app/api/ports'
import { sentenceTime } from '../../../src/domain/calendar'
import { zeroAddress } from '../../../src/domain/chain/hex'
import { RoutingError } from '../../../src/domain/error'
import { contrastOf, inkOn, usualColor } from '../../../src/domain/tenant/deposit-page'
import { StoreUnreachable } from '../../../src/domain/unavailable'
import { payStyle } from '../../../src/http/pay/pay-style'
import { payLinkOf, payToken } from '../../../src/http/pay/pay-token'
import { lifeFailed, lifeReturned, lifeUntil } from '../../../src/http/webhooks/sample-life'
import { membersWorld } from '../../dashboard/sign-in/members-world'
import { sightingOf } from '../../support/deposits'
import { until } from '../../support/until'
import { vault } from '../../support/webhooks'
import { priced } from '../routes/priced'
import { figures, target, usdc } from '../world'

const color = '#0b7285'
const page = { isOn: true, name: 'Acme <b>Wallet</b>', color }

/** An organization with its page switched on, and a user of each of two organizations. */
async function paying(ports: Partial<ApiPorts> = {}) {
  const world = await membersWorld({ ports })
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

test('a link shows the address, the minimum, the fee and the output, in the organization’s name and colour', async () => {
  const { open, account, made, clock } = await paying()
  expect(made.expiresAt).toBe(new Date(clock.now + 3_600_000).toISOString())
  const { status, text, headers } = await open(`?asset=8453:${usdc.base}&amount=25`)
  expect(status).toBe(200)
  for (const part of [
    account,
    'Acme &lt;b&gt;Wallet&lt;/b&gt;',
    `background:${color};color:${inkOn(color)}`,
    '0.073728 USDC',
    '0.5 % (0.125 USDC)',
    'about 0.0184 USDC at 10:00 UTC, deducted from your payment',
    '<dt>You receive</dt><dd>about 24.832 USDC on Arbitrum</dd>',
    'Send only USDC on Base.',
    'Copy the amount 25<',
    `href="ethereum:${usdc.base}@8453/transfer?address=${account}&amp;uint256=25000000">Open in wallet`,
    'It arrives as USDC on Arbitrum.',
    'Nothing has arrived yet.',
    `This link works until ${sentenceTime(clock.now + 3_600_000)}.`,
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
  expect(text).not.toMatch(/(src|href)="(?!data:|\?asset=|ethereum:)/)
  expect(text).not.toMatch(/ (style|on\w+)="/)
  for (const [name, value] of [
    ['cache-control', 'no-store'],
    ['referrer-policy', 'no-referrer'],
    ['x-robots-tag', 'noindex'],
  ] as const)
    expect(headers.get(name)).toBe(value)
})

test('an amount that is too small, malformed or of an unknown token is reported or ignored', async () => {
  const { open } = await paying()
  expect((await open('?amount=0.01')).text).toContain('less than the smallest amount')
  for (const amount of ['1e3', '-1', '0', '<script>'])
    expect((await open(`?amount=${encodeURIComponent(amount)}`)).text).toContain('must be a number with at most')
  expect((await open(`?asset=${encodeURIComponent('"><script>')}`)).status).toBe(200)
  expect((await open(`?amount=${encodeURIComponent('"><script>alert(1)')}`)).text).not.toContain('<script>alert')
})

test('the page shows the address’s notices, and the one about gas only for native coin', async () => {
  const { open } = await paying({ hasCode: async (id, address) => address !== target.targetAddress || id === 1 })
  const noticed = async (token: string) => {
    const { text } = await open(`?asset=8453:${token}`)
    return ['Money on a network other than', 'The recipient is a contract on Ethereum', '21,000 gas'].map((part) =>
      text.includes(part),
    )
  }
  expect(await noticed(usdc.base)).toEqual([true, true, false])
  expect(await noticed(zeroAddress)).toEqual([true, true, true])
})

test('the gas and the output are those of the deposit’s own steps, and are shown only for an entered amount', async () => {
  const previews: string[] = []
  const { open, clock } = await paying({
    preview: async (deposit, intent, routeId) => {
      previews.push(deposit.deposit.amountRaw)
      const record = await priced(deposit, intent, routeId)
      const { fees, route } = record.facts
      const facts = {
        ...record.facts,
        fees: { ...fees!, gasFeeRaw: '1067271' },
        route: { ...route!, amountOutExpected: '23807729' },
      }
      return { ...record, facts }
    },
  })
  const asset = `8453:${usdc.base}`
  const { text } = await open(`?asset=${asset}&amount=25`)
  expect(text).toContain('about 1.07 USDC at 10:00 UTC, deducted from your payment')
  expect(text).toContain('<dd>about 23.808 USDC on Arbitrum</dd>')
  const before = (await open(`?asset=${asset}`)).text
  expect(before).toContain('Enter an amount to see what is deducted and what you receive.')
  expect(before).not.toContain('You receive')
  // Every reader asks again every few seconds.
  clock.now += 20_000
  for (let n = 0; n < 3; n++) await open(`?asset=${asset}&amount=25`)
  expect(previews).toEqual(['25000000'])
  clock.now += 20_000
  await open(`?asset=${asset}&amount=25`)
  expect(previews).toHaveLength(2)
})

test('an estimate that cannot be made is unknown, and an amount that would fail is not invited', async () => {
  let error: Error = new RoutingError('PROVIDER_TIMEOUT')
  const failing = await paying({ preview: () => Promise.reject(error) })
  const query = `?asset=8453:${usdc.base}&amount=25`
  const { text } = await failing.open(query)
  for (const part of [
    '<dd>currently unknown, deducted from your payment</dd>',
    '<dd>currently unknown</dd>',
    'QR code',
  ])
    expect(text).toContain(part)
  error = new RoutingError('NO_ROUTE')
  failing.clock.now += 10_000
  const refused = (await failing.open(query)).text
  expect(refused).toContain('This amount cannot be delivered now.')
  expect([codeIn(refused), refused.includes('Open in wallet')]).toEqual([null, false])
})

test('a page waits for a slow estimate only briefly, and its next update has it', async () => {
  const done = Promise.withResolvers<void>()
  const slow: Partial<ApiPorts> = {
    preview: async (...asked) => {
      await done.promise
      return priced(...asked)
    },
  }
  const { open } = await paying(slow)
  const query = `?asset=8453:${usdc.base}&amount=25`
  expect((await open(query)).text).toContain('<dd>being estimated</dd>')
  done.resolve()
  await until('the estimate', async (note) => note(await open(query)).text.includes('about 24.832 USDC'))
})

test('estimates are limited for one link, and the page goes on without them', async () => {
  const { open } = await paying()
  const texts: string[] = []
  for (let n = 1; n <= 14; n++) texts.push((await open(`?asset=8453:${usdc.base}&amount=${n}`)).text)
  const counted = (part: string) => texts.filter((text) => text.includes(part)).length
  expect([counted('<dd>about 24.832'), counted('<dd>currently unknown</dd>')]).toEqual([10, 4])
})

test('a network keeps the token’s symbol and the amount, and a comma is a decimal sign', async () => {
  const { open } = await paying()
  const { text } = await open(`?asset=8453:${usdc.base}&amount=1,5`)
  expect(text).toContain(`href="?asset=42161%3A${usdc.arbitrum}&amp;amount=1%2C5"`)
  expect(text).toMatch(/class="chip" href="\?asset=8453[^"]*" aria-current="true">Base</)
  expect(text).toContain('uint256=1500000"')
  expect((await open('?amount=1,500')).text).toContain('such as 1500 or 1.5')
})

/** Content of the QR code, according to its label. */
const codeIn = (text: string) => /role="img" aria-label="([^"]*)"/.exec(text)?.[1] ?? null
const chosenIn = (text: string) => /<option value="([^"]*)" selected>/.exec(text)?.[1] ?? null

test('a token is found in any spelling of its address, and an unaccepted one is never replaced', async () => {
  const { open } = await paying()
  const arbitrum = `42161:${usdc.arbitrum}`
  const small = (await open(`?asset=${arbitrum.toLowerCase()}&amount=25`)).text
  expect([codeIn(small), chosenIn(small)]).toEqual(['QR code to send USDC on Arbitrum by a wallet', arbitrum])
  for (const asset of [`10:${usdc.base}`, `8453:${usdc.arbitrum}`, '']) {
    const { text } = await open(`?asset=${asset}&amount=25`)
    expect([codeIn(text), chosenIn(text)]).toEqual([null, ''])
    expect(text).toContain('Your choice is not accepted')
    expect(text).not.toContain('<dt>')
  }
})

test('an amount finer than the token’s decimals is refused instead of rounded', async () => {
  const { open } = await paying()
  for (const amount of ['0.0000019', '1.0000001'])
    expect((await open(`?amount=${amount}`)).text).toContain('must be a number with at most 6 decimals')
  const { text } = await open('?amount=0.100001')
  expect(text).not.toContain('not a number')
})

test('the page invites no deposit that cannot be delivered now, and preselects one that can', async () => {
  const paused = (chains: readonly number[]): Partial<ApiPorts> => ({
    figures: async () => ({
      ...figures,
      ofToken: (token) =>
        chains.includes(token.chainId)
          ? { ...figures.ofToken(token), acceptsDeposits: false, message: 'Base is paused.' }
          : figures.ofToken(token),
    }),
  })
  const { open } = await paying(paused([8453]))
  const first = (await open()).text
  expect([chosenIn(first), codeIn(first)]).toEqual([`42161:${usdc.arbitrum}`, 'QR code of the address'])
  expect(first).not.toContain('class="warning"')
  const offered = (text: string) => [...text.matchAll(/href="\?asset=(\d+)%3A/g)].map(([, chainId]) => Number(chainId))
  expect(new Set(offered(first))).toEqual(new Set([1, 137, 42161, 43114]))
  const all = await paying(paused([1, 137, 8453, 42161, 43114]))
  for (const { text } of [await open(`?asset=8453:${usdc.base}&amount=25`), await all.open()]) {
    expect(text).toMatch(
      /<main>\s*<div id="age" class="late" role="status"><\/div>\s*<div id="warnings" role="alert"><section class="warning">USDC on \w+: Base is paused./,
    )
    expect([codeIn(text), text.includes('class="copy"'), text.includes('Open in wallet')]).toEqual([null, false, false])
  }
  expect(offered((await all.open()).text)).toHaveLength(1)
})

test('refunded money is shown as refunded, a bridge’s refund is hidden, and the payer is never asked twice', async () => {
  const { open, store, account, clock } = await paying()
  const own = { organizationId: 'org_a', userId: 'yara' }
  clock.now += 60_000
  await store.executions.save({ ...lifeReturned(clock.now), ...own, id: 'returned' })
  expect((await open()).text).toContain('Nothing has arrived yet.')
  const whose = { ...own, account, token: usdc.base, amountRaw: '25000000', detectedAt: clock.now } as const
  await store.sightings.save({ ...sightingOf(9, whose), stage: 'ORPHANED' })
  const orphaned = (await open()).text
  expect(orphaned).toContain('Do not send again yet')
  expect(orphaned).not.toContain('still have the money')
  const failed = { ...lifeFailed('FAILED', clock.now), ...own }
  const redriven = `${failed.id}:r1`
  await store.executions.save({ ...failed, redrivenBy: redriven })
  const back = (step: Parameters<typeof lifeUntil>[0]) => {
    const life = lifeUntil(step, clock.now)
    const { chainId, token } = life.deposit
    const refundAddress = account
    const intent = {
      ...life.facts.intent!,
      ...{ targetChainId: chainId, targetTokenAddress: token, targetAddress: refundAddress, refundAddress },
      protocolFeeBps: 0,
    }
    const delivery = life.facts.delivery && { ...life.facts.delivery, chainId, token }
    const facts = { ...life.facts, intent, ...(delivery && { delivery }) }
    return { ...life, ...own, id: redriven, redriveOf: failed.id, deposit: failed.deposit, createdAt: clock.now, facts }
  }
  await store.executions.save(back('transaction mined'))
  expect((await open()).text).toContain('It is being refunded.')
  const stored = (await store.executions.load(redriven))!
  await store.executions.save({ ...back('funds delivered'), version: stored.version })
  const { text } = await open()
  expect(text).toMatch(/Refunded<.*24.831711 USDC was refunded on Base/)
  expect(text).not.toContain('Delivered')
})

test('a deposit is shown from its sighting to its delivery, and deposits before the link are hidden', async () => {
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

test('a stopped deposit shows the contact without the reason', async () => {
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

test('a link to a deposit shows that deposit alone, read-only and in the organization’s name, until it expires', async () => {
  const { as, link, open, pathOf, store, clock } = await paying()
  const own = { organizationId: 'org_a', userId: 'yara' }
  const life = { ...lifeUntil('funds delivered', clock.now), ...own }
  await store.executions.save(life)
  await store.executions.save({ ...lifeFailed('TOKEN_BLACKLISTED', clock.now), ...own, id: `${life.id}2` })
  const made = await link('operator', { depositId: life.id, minutes: 60 })
  const path = pathOf(made.json.url)
  const { status, text } = await open('', path)
  expect(status).toBe(200)
  for (const part of [
    'Acme &lt;b&gt;Wallet&lt;/b&gt;',
    'class="ok">Delivered',
    '24.831711 USDC arrived on Arbitrum',
    '/tx/0x',
  ])
    expect(text).toContain(part)
  for (const part of ['Stopped', 'QR code', '<form', 'Send', 'yara', target.targetAddress])
    expect(text).not.toContain(part)
  expect(text).not.toMatch(/href="(?!https:\/\/arbiscan\.io\/tx\/|data:)/)

  const told = (await as('member', `/deposits/${encodeURIComponent(life.id)}/answer`)).json
  expect(told.hasPage).toBe(true)
  expect(told.sentence).toMatch(
    /^Your deposit of 25 USDC on Base, .* UTC: Delivered\. 24\.831711 USDC arrived on Arbitrum\. Transaction: https:/,
  )
  const stopped = (await as('member', `/deposits/${encodeURIComponent(`${life.id}2`)}/answer`)).json.sentence
  expect(stopped).toEndWith('Stopped. It was not delivered. We are looking into it.')

  const codes = [
    await link('operator', {}),
    await link('operator', { depositId: 'none' }),
    await as('other-owner', `/deposits/${encodeURIComponent(life.id)}/answer`),
  ].map((each) => [each.status, each.headers.get('x-error-code')])
  expect(codes).toEqual([
    [400, 'VALIDATION_FAILED'],
    [404, 'DEPOSIT_NOT_FOUND'],
    [404, 'DEPOSIT_NOT_FOUND'],
  ])
  clock.now += 3_600_000
  expect((await open('', path)).status).toBe(404)
})

test('invented, changed and expired links fail with the same response', async () => {
  const { open, token, clock, account } = await paying()
  const flipped = (n: number) => `${token.slice(0, n)}${token[n] === 'A' ? 'Q' : 'A'}${token.slice(n + 1)}`
  const other = { seal: (text: string) => vault.seal(text, 'another purpose') }
  const link = { account, madeAt: clock.now, expiresAt: clock.now + 60_000, deposit: null }
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

test('no link works after the page is switched off, and old links stay invalid', async () => {
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

/** The smallest PNG. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const logoOf = (data: string, type = 'image/png') => `data:${type};base64,${data}`

test('the page shows the organization’s logo until it is removed, and only valid links do', async () => {
  const { as, open, ask, pathOf, made, token } = await paying()
  const put = (more: object) => as('owner', '/deposit-page', { method: 'PUT', body: { ...page, ...more } })
  const path = `${pathOf(made.url)}/logo`
  expect((await open()).text).not.toContain('<img')
  expect((await ask(path)).status).toBe(404)
  await put({ logo: logoOf(png) })
  await put({ color: '#1a7f5a' })
  const shown = await open()
  expect(shown.text).toContain(`<header><img src="${token}/logo" alt="">`)
  expect(shown.headers.get('content-security-policy')).toContain("img-src 'self' data:")
  const { status, headers, text } = await ask(path)
  expect([status, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
    200,
    'image/png',
    'nosniff',
  ])
  expect(text).toContain('PNG')
  expect((await ask(`/pay/${'A'.repeat(80)}/logo`)).status).toBe(404)
  const { json } = await as('owner', '/operator/audit')
  expect(JSON.stringify(json)).not.toContain(png)
  await put({ logo: null })
  const edits = (await as('owner', '/operator/audit')).json as { verb: string; details: { digest?: string | null } }[]
  expect(edits.filter(({ verb }) => verb === 'deposit_page.edit').map(({ details }) => typeof details.digest)).toEqual(
    // Newest first: a logo that is removed, one that stays, a new one, and the first edit.
    ['object', 'undefined', 'string', 'undefined'],
  )
  expect([(await open()).text.includes('<img'), (await ask(path)).status]).toEqual([false, 404])
})

test('a logo is a small PNG and nothing else', async () => {
  const { as } = await paying()
  for (const logo of [
    logoOf(png, 'image/svg+xml'),
    logoOf('PHN2Zz48L3N2Zz4='),
    logoOf(`${png.slice(0, 11)}${'A'.repeat(12_001)}`),
    `${logoOf(png)}" onerror="x`,
    'https://example.com/logo.png',
    '',
  ])
    expect((await as('owner', '/deposit-page', { method: 'PUT', body: { ...page, logo } })).status).toBe(400)
})

test('the page and the name of an organization can be changed at the same time', async () => {
  const { as, store } = await paying()
  const [put, renamed] = await Promise.all([
    as('owner', '/deposit-page', { method: 'PUT', body: { ...page, name: 'Another' } }),
    as('admin', '/organization', { method: 'PATCH', body: { name: 'Acme Ltd' } }),
  ])
  expect([put.status, renamed.status]).toEqual([200, 200])
  expect(await store.organizations.load('org_a')).toMatchObject({ name: 'Acme Ltd', depositPage: { name: 'Another' } })
})

test('a link is created only for the organization’s own users, is logged, and is valid for at most a day', async () => {
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

test('guessing links is stopped after a number of attempts', async () => {
  const { open } = await paying()
  const statuses: number[] = []
  for (let n = 0; n < 70; n++) statuses.push((await open('', `/pay/guess${n}`)).status)
  expect([statuses[0], statuses.at(-1)]).toEqual([404, 429])
})

test('visitors who share an address are not limited while their links are valid, and a refusal gives the wait', async () => {
  const { open, clock, made } = await paying()
  const several = async (count: number, path?: string) => {
    for (let n = 0; n < count; n++) await open('', path)
    return open('', path)
  }
  expect((await several(70)).status).toBe(200)
  const { status, headers } = await several(40)
  expect([status, headers.get('retry-after'), made.url.length > 0]).toEqual([429, '1', true])
  clock.now += 60_000
  await several(60, '/pay/guess')
  expect((await open('', '/pay/guess')).headers.get('retry-after')).toBe('1')
  expect((await open()).status).toBe(200)
})

test('a person gets a readable page while the database is unavailable, and the error is recorded', async () => {
  const world = await paying()
  const { accounts } = world.store
  accounts.load = async () => {
    throw new StoreUnreachable(new Error('nobody answers'))
  }
  const { status, text, headers } = await world.open()
  expect([status, headers.get('retry-after')]).toEqual([503, '1'])
  expect(headers.get('content-type')).toStartWith('text/html')
  expect(text).toContain('Load this page again in a minute')
  expect(world.bugs.length).toBe(1)
})

test('an invalid colour does not get into the style', () => {
  for (const wrong of ['red;}</style><script>', '#12345', '#FFFFFF}'])
    expect(payStyle(wrong)).toBe(payStyle(usualColor))
})

test('text is readable on any colour', () => {
  const channel = fc.integer({ min: 0, max: 255 }).map((n) => n.toString(16).padStart(2, '0'))
  fc.assert(
    fc.property(channel, channel, channel, (r, g, b) => {
      expect(contrastOf(`#${r}${g}${b}`, inkOn(`#${r}${g}${b}`))).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

test('a token reveals nothing, and each token is different', () => {
  const link = {
    account: '0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C',
    madeAt: 1,
    expiresAt: 10,
    deposit: null,
  } as const
  const [one, other] = [payToken(vault, link), payToken(vault, link)]
  expect(one).not.toBe(other)
  expect(one).toMatch(/^[\w-]+$/)
  expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('25fa55')
  expect([payLinkOf(vault, one, 9), payLinkOf(vault, one, 10)]).toEqual([link, null])
})
