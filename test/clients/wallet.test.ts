import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { Address } from '../../src/domain/chain/hex'
import { rewrite } from '../../src/domain/concurrency'
import { newApiKey } from '../../src/http/dashboard/new-tenants'
import { findChromium, launch, patienceMs, reportOpen } from '../dashboard/browser/browser'
import { checkPlainPage } from '../dashboard/browser/page-checks'
import { isNightly, nightly } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { isRequired, testWith } from '../support/tools'
import { until } from '../support/until'
import { exampleWallet } from './example-wallet'
import { deliveredDeposit, depositOf, executionOf, fakeApi, following, funds, idOf, next } from './fake-api'

const chromium = await findChromium()
const isLeftOut = chromium === null && !isRequired

let browser: Browser
let environment: Environment
beforeAll(async () => {
  if (isLeftOut) return
  browser = await launch(chromium!)
  if (isNightly) environment = await startEnvironment()
})
afterEach(() => reportOpen(browser))
afterAll(async () => {
  await browser?.close()
  await environment?.stop()
})

/** Opens the wallet as a new user. `row` is the row of a deposit, and `complaints` are errors of the page's scripts. */
async function opened(url: string) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  context.setDefaultTimeout(patienceMs)
  const complaints: string[] = []
  context.on('weberror', (error) => complaints.push(error.error().message))
  const page = await context.newPage()
  await page.goto(url)
  const row = (text: string) => page.getByRole('listitem').filter({ hasText: new RegExp(`^${text}`) })
  return { context, page, row, complaints }
}
const stale = (page: Page) => page.getByRole('alert').filter({ hasText: 'Not up to date since' })
const isStream = (url: URL | string): boolean => new URL(url).pathname.endsWith('/changes')
const addressShown = (page: Page) => page.locator('code').filter({ hasText: /^0x.{40}$/ })

/** The example wallet on a stand-in for the API, with one page. */
async function walk() {
  const api = fakeApi()
  const wallet = await exampleWallet({ API: api.url, KEY: 'sy_test_any' })
  const opening = await opened(wallet.url)
  await addressShown(opening.page).waitFor()
  return {
    api,
    wallet,
    ...opening,
    async stop() {
      await opening.context.close()
      await wallet.stop()
      await api.stop()
      expect(opening.complaints).toEqual([])
    },
  }
}

const investigated = next({ actor: 'OPERATOR', action: 'INVESTIGATE' })
const waiting = next({ actor: 'SERVICE', action: 'WAIT' })
const refunded = depositOf(30, {
  executionId: `${idOf(30)}:r1`,
  funds: funds({ holder: 'RECIPIENT', amount: '30000000', refund: true }),
})
const small = depositOf(1, { funds: funds({ holder: 'NONE', amount: '0' }), next: following(25) })

/** Each end and wait of a deposit: its records, the head of its row, and a sentence of it. */
const ends = [
  [
    'delivered',
    [deliveredDeposit, executionOf(deliveredDeposit, 'SUCCESS')],
    'Arrived',
    '23.736063 USDC arrived on Arbitrum.',
  ],
  [
    'given back',
    [refunded, executionOf(refunded, 'SUCCESS')],
    'Refunded',
    'It was not delivered. 30 USDC was refunded on Base.',
  ],
  [
    'taken along',
    [small, executionOf(small, 'FAILED_INSUFFICIENT_AFTER_FEES')],
    'Arrived',
    'It arrived on Arbitrum together with another deposit.',
  ],
  ...(
    [
      [
        'too small',
        2,
        'FAILED_INSUFFICIENT_AFTER_FEES',
        next({ actor: 'SENDER', action: 'SEND_MORE' }),
        'Send more USDC on Base to your address',
      ],
      [
        'without a route',
        3,
        'FAILED_UNROUTABLE_MAIN',
        next({ actor: 'INTEGRATOR', action: 'CHANGE_INTENT' }),
        'The money is safe at your address on Base. We act next.',
      ],
      ['invalid', 4, 'FAILED_INVALID_INPUT', investigated, 'This token cannot be delivered.'],
      ['listed', 5, 'TOKEN_BLACKLISTED', investigated, 'on a security list'],
      ['over the quota', 6, 'QUOTA_EXCEEDED', investigated, 'our limit of deposits'],
      ['dead', 7, 'DEAD_LETTER', investigated, 'It could not be delivered.'],
    ] as const
  ).map(([name, n, status, then, text]) => {
    const deposit = depositOf(n, { next: then })
    return [name, [deposit, executionOf(deposit, status)], 'Needs attention', text] as const
  }),
  ...(
    [
      [
        'unconfirmed',
        8,
        { stage: 'CONFIRMING', confirmations: 3, next: next({ actor: 'SERVICE', action: 'CONFIRM' }) },
        'Seen',
        'It has 3 of 10 confirmations.',
      ],
      ['queued', 9, { stage: 'QUEUED', next: waiting }, 'Waiting', 'It follows an earlier deposit'],
      [
        'paused',
        10,
        { stage: 'PAUSED', next: next({ actor: 'OPERATOR', action: 'RESUME' }) },
        'Waiting',
        'Deliveries are paused',
      ],
      [
        'without an intent',
        11,
        { stage: 'WAITING_FOR_INTENT', next: next({ actor: 'INTEGRATOR' }) },
        'Waiting',
        'Its destination is not set yet.',
      ],
      [
        'dropped',
        12,
        { stage: 'ORPHANED', funds: funds({ holder: 'SENDER' }) },
        'Needs attention',
        'Do not send again yet',
      ],
    ] as const
  ).map(
    ([name, n, change, head, text]) => [name, [depositOf(n, { executionId: null, ...change })], head, text] as const,
  ),
  ...(
    [
      ['retried', 13, 'FAILED', funds({}), 'Waiting', 'The next one starts automatically.'],
      ['under way', 14, 'RUNNING', funds({ holder: 'PROVIDER' }), 'On its way', 'The money has left your address'],
    ] as const
  ).map(([name, n, status, place, head, text]) => {
    const deposit = depositOf(n, { funds: place, next: next({ actor: 'PROVIDER', action: 'DELIVER' }) })
    return [name, [deposit, executionOf(deposit, status, false)], head, text] as const
  }),
] as const

const amountOf = ([{ amountIn }]: (typeof ends)[number][1]) => `${Number(amountIn) / 1e6} USDC on Base: `

const inBrowser = testWith('browser', chromium !== null)
inBrowser(
  'the wallet shows every end and wait for what it is, and outlasts a bad answer and a revoked key',
  async () => {
    const { api, wallet, page, row, stop } = await walk()
    expect(api.intents).toMatchObject([{ refundAddress: expect.stringMatching(/^0x/) }])
    await page.route(isStream, (route) => route.fulfill({ status: 502 }), { times: 1 })
    const mended = page.waitForResponse((response) => isStream(response.url()) && response.status() === 200)
    await page.reload()
    await mended
    await addressShown(page).waitFor()
    api.set(ends.map(([, records]) => records))
    for (const [name, records, head, text] of ends) {
      const own = row(`${amountOf(records)}${head}`)
      await own.waitFor()
      expect([name, await own.count(), await own.textContent()]).toEqual([name, 1, expect.stringContaining(text)])
    }
    expect(await row('25 USDC on Base').getByRole('link').count()).toBe(2)
    // The minimums are 73728 and 2400001 atomic units: a shown minimum is enough to send.
    expect(await page.locator('tbody').textContent()).toContain('0.0738 USDC')
    await page.getByLabel('Network').selectOption('Ethereum')
    expect(await page.locator('tbody').textContent()).toContain('2.41 USDC')
    // A wallet on another device scans the payment of a token. On another network that would be another token.
    const qr = page.getByRole('img')
    await page.getByLabel('QR code for').selectOption({ label: 'USDC' })
    expect(await qr.getAttribute('aria-label')).toBe('QR code that sends USDC on Ethereum by a wallet')
    await page.getByLabel('Network').selectOption('Base')
    expect(await qr.getAttribute('aria-label')).toBe('Your address as a QR code')
    expect(await page.locator('time').count()).toBe(ends.length)
    expect(await checkPlainPage(page, 'deposit-card')).toEqual({})

    api.revokeKey()
    await stale(page).waitFor()
    expect(await row('30 USDC on Base').textContent()).toContain('Refunded')
    const late = await opened(wallet.url)
    await late.page.getByRole('alert').filter({ hasText: 'Your address appears as soon as it can be read.' }).waitFor()
    await late.context.close()
    api.acceptKey()
    api.set([])
    await page.getByText('Waiting for your deposit.').waitFor()
    await stale(page).waitFor({ state: 'detached' })
    await stop()
  },
)

const unlessLeftOut = testWith('browser', chromium !== null, nightly)

unlessLeftOut('a page whose server went away says so, and is right again when the server is back', async () => {
  const { api, wallet, page, row, stop } = await walk()
  await wallet.stop()
  await stale(page).waitFor()
  await wallet.start()
  await stale(page).waitFor({ state: 'detached' })
  api.set([[deliveredDeposit, executionOf(deliveredDeposit, 'SUCCESS')]])
  await row('25 USDC on Base: Arrived').waitFor()
  await stop()
})

/** Stands in front of the wallet like a proxy that holds each stream of changes back. */
function silentProxy(url: string) {
  let streams = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch({ url: asked, headers }) {
      const { pathname, search } = new URL(asked)
      if (!isStream(asked)) return fetch(`${url}${pathname}${search}`, { headers })
      streams++
      const silent = new ReadableStream({ start: (stream) => stream.enqueue(': never a beat\n\n') })
      return new Response(silent, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, streams: () => streams, stop: () => server.stop(true) }
}

unlessLeftOut('a page whose stream of changes is silent reads every minute, and opens another stream', async () => {
  const { api, wallet, context, page, row, stop } = await walk()
  const proxy = silentProxy(wallet.url)
  await page.clock.install()
  await page.goto(proxy.url)
  await addressShown(page).waitFor()
  expect(proxy.streams()).toBe(1)
  api.set([[deliveredDeposit, executionOf(deliveredDeposit, 'SUCCESS')]])
  await page.clock.fastForward(44_000)
  expect([proxy.streams(), await row('25 USDC on Base').count()]).toEqual([1, 0])
  await page.clock.fastForward(17_000)
  await row('25 USDC on Base: Arrived').waitFor()
  await page.clock.fastForward(2_000)
  await until('another stream', (note) => note(proxy.streams()) > 1)
  await context.close()
  await proxy.stop()
  await stop()
})

unlessLeftOut('a page whose reading never ends gives it up, says so, and reads again', async () => {
  const { api, page, row, stop } = await walk()
  const isHeld = (url: URL) => url.pathname.endsWith('/deposit')
  await page.route(isHeld, () => {})
  api.set([[deliveredDeposit, executionOf(deliveredDeposit, 'SUCCESS')]])
  await stale(page).waitFor()
  await page.unroute(isHeld)
  await row('25 USDC on Base: Arrived').waitFor()
  await stale(page).waitFor({ state: 'detached' })
  await stop()
})

unlessLeftOut('an offline page says so at once, and reads again when the network is back', async () => {
  const { api, context, page, row, stop } = await walk()
  await context.setOffline(true)
  await stale(page).filter({ hasText: 'You are offline.' }).waitFor()
  api.set([[refunded, executionOf(refunded, 'SUCCESS')]])
  await context.setOffline(false)
  await row('30 USDC on Base: Refunded').waitFor()
  await stale(page).waitFor({ state: 'detached' })
  await stop()
})

const operate = async (path: string, body: object) => {
  const { apiUrl, keys } = environment.installation
  const headers = { 'x-api-key': keys.platformOperator, 'content-type': 'application/json' }
  const response = await fetch(`${apiUrl}/api/operator/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(202)
}

unlessLeftOut(
  'on a real installation deposits are delivered, refunded, taken along and stopped, and the page says which',
  async () => {
    const { apiUrl, keys } = environment.installation
    const wallet = await exampleWallet({ API: apiUrl, KEY: keys.client })
    const { context, page, row, complaints } = await opened(wallet.url)
    const to = (await addressShown(page).textContent()) as Address
    const send = (token: string, amountRaw: bigint) =>
      environment.devnet.sendDeposit({ chainKey: 'base', token, amountRaw, to })
    await environment.everyChainScanned()
    await send('USDC', 1n)
    await row('0.000001 USDC on Base: Needs attention').filter({ hasText: 'both continue together' }).waitFor()
    await send('USDC', 25_000_000n)
    await row('25 USDC on Base: Arrived')
      .filter({ hasText: /[0-9.]+ USDC arrived on Arbitrum/ })
      .waitFor()
    await row('0.000001 USDC on Base: Arrived').filter({ hasText: 'together with another deposit' }).waitFor()
    await Promise.all([send('SY-REVERT', 20_000_000n), send('SY-SCAM', 21_000_000n), send('SY-HOLD', 22_000_000n)])
    await row('20 SY-REVERT on Base: Needs attention').waitFor()
    await row('21 SY-SCAM on Base: Needs attention').waitFor()
    await row('22 SY-HOLD on Base: On its way').filter({ hasText: 'The money has left your address' }).waitFor()
    await send('SY-NOROUTE', 30_000_000n)
    const refused = row('30 SY-NOROUTE on Base: Needs attention')
    await refused.waitFor()
    await operate(`executions/${encodeURIComponent((await refused.getAttribute('data-id'))!)}/refund`, {
      reason: 'No provider has a route',
    })
    await row('30 SY-NOROUTE on Base: Refunded').waitFor()
    await fetch(`${environment.devnet.controlUrl}/faults/bridge`, { method: 'DELETE' })
    await row('22 SY-HOLD on Base: Arrived').waitFor()
    expect(complaints).toEqual([])
    await context.close()
    await wallet.stop()
  },
)

unlessLeftOut(
  'a key that an installation revokes leaves the wallet serving, with the last state and its time',
  async () => {
    const { store, installation } = environment
    const { id: organizationId } = (await store.organizations.all()).find(({ slug }) => slug === 'sandbox')!
    const terms = { label: 'wallet', role: 'CLIENT', protocolFeeBps: 50, sponsoredGas: false, expiresAt: null } as const
    const { text, apiKey } = newApiKey({ organizationId, ...terms, allowedAddresses: [] }, Date.now())
    await store.apiKeys.save(apiKey)
    const wallet = await exampleWallet({ API: installation.apiUrl, KEY: text })
    const { context, page } = await opened(wallet.url)
    const address = await addressShown(page).textContent()
    await rewrite(store.apiKeys, apiKey.id, async (stored) => stored && { ...stored, revokedAt: Date.now() })
    await stale(page).waitFor()
    expect(await addressShown(page).textContent()).toBe(address)
    await page.reload()
    await page.getByRole('alert').filter({ hasText: 'tries again automatically' }).waitFor()
    expect(wallet.lines.join('\n')).toContain('INVALID_API_KEY')
    await context.close()
    await wallet.stop()
  },
)
