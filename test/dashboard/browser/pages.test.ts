import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { recipientOf } from '../../../src/cli/demo/demo-deposits'
import { type Environment, startEnvironment } from '../../support/environment'
import { findChromium, launch, settled, signIn, turnTo, visit } from './browser'
import { feeEdited } from './fee-edited'
import { firstLoad } from './first-load'
import { foundAndKept } from './found-and-kept'
import { foundFromFirstSight } from './found-from-first-sight'
import { invitedSeen } from './invited-seen'
import { longPast } from './long-past'
import { look, wide } from './looks'
import { operationsSeen } from './operations-seen'
import { overQuota } from './over-quota'
import { overcomeSeen } from './overcome-seen'
import { overdueSeen } from './overdue-seen'
import { pageThatThrows } from './page-that-throws'
import { pretendDepositSent } from './pretend-deposit-sent'
import { rawWebhookSeen } from './raw-webhook-seen'
import { redirectAsked } from './redirect-asked'
import { serviceFrozen } from './service-frozen'
import { statesSeen } from './states-seen'
import { tenantsNamed } from './tenants-named'
import { tokensOnNoList } from './tokens-on-no-list'
import { workerKilled } from './worker-killed'

const chromium = findChromium()
if (!chromium) console.error('SKIPPED: no browser is here and none could be installed; set CHROMIUM_PATH')

let world: Environment
let browser: Browser
let url: string
let account: { email: string; password: string }

beforeAll(async () => {
  if (!chromium) return
  ;[world, browser] = await Promise.all([startEnvironment(), launch(chromium)])
  url = world.installation.apiUrl
  account = world.installation.dashboard
  const deposits = ['USDC', 'SY-NOROUTE', 'SY-FLAKY', 'SY-SCAM', 'SY-WEIRD', 'SY-GHOST', 'USDC', 'USDC'] as const
  const users = deposits.map(() => world.newUserId('shown'))
  await Promise.all(
    deposits.map(async (token, n) => {
      const { depositAddress } = await world.intend(users[n]!, { to: 'arbitrum', receive: 'USDC' })
      const chainKey = n < 6 ? 'base' : n === 6 ? 'polygon' : 'ethereum'
      await world.devnet.sendDeposit({ chainKey, token, amountRaw: BigInt(n + 1) * 25_000_000n, to: depositAddress })
      await world.ended(users[n]!, 1)
    }),
  )
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await world?.stop()
}, 60_000)

/** Each waits for the service now and then, while another one paints. */
const tabs = 3
const places = [
  'overview:/',
  'executions:/executions',
  'no-match:/executions?user=nobody',
  'execution:/executions/ID',
  'deposits:/deposits',
  'usage:/usage',
  'start:/start',
  'keys:/keys',
  'address:/address?user=shown-1',
  'simulate:/simulate',
  'operations:/operations',
  'security-list:/blacklist',
  'audit:/audit',
  'members:/members',
  'account:/account',
]

describe.skipIf(!chromium)('in a browser', () => {
  const seen = () => ({ world, browser, url, account })
  firstLoad(seen)
  statesSeen(seen)
  foundAndKept(seen)
  foundFromFirstSight(seen)
  feeEdited(seen)
  overQuota(seen)
  overcomeSeen(seen)
  invitedSeen(seen)
  tenantsNamed(seen)
  longPast(seen)
  tokensOnNoList(seen)
  overdueSeen(seen)
  redirectAsked(seen)
  rawWebhookSeen(seen)
  pretendDepositSent(seen)
  pageThatThrows(seen)
  serviceFrozen(seen)
  operationsSeen(seen)

  test('every page, light and dark, wide and on a phone: no accessibility fault, no complaint, nothing from elsewhere', async () => {
    const { page, context, complaints, outside } = await visit(browser, url)
    const faults: Record<string, string[]> = {}
    Object.assign(faults, await look(page, 'sign-in'))
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    const [failed] = await world.executionsOf('shown-3')
    const left = [...places]
    const lookOn = async (tab: Page) => {
      for (let place = left.shift(); place; place = left.shift()) {
        const [title, path] = place.split(/:(.*)/) as [string, string]
        await turnTo(tab, `${home}${path.replace('ID', encodeURIComponent(failed!.id))}`)
        Object.assign(faults, await look(tab, title))
      }
    }
    const others = Array.from({ length: tabs - 1 }, async () => {
      const tab = await context.newPage()
      await tab.setViewportSize(wide)
      await tab.goto(`${url}${home}`)
      await settled(tab)
      await lookOn(tab)
    })
    await Promise.all([lookOn(page), ...others])
    expect([faults, complaints, outside]).toEqual([{}, [], []])
    await context.close()
  }, 240_000)

  test('from sign-up to the first SUCCESS, the key shown once, live, and refused when revoked', async () => {
    const { page, context, complaints } = await visit(browser, url)
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.locator('[name=name]').fill('Ada')
    await page.locator('[name=email]').fill('ada@acme.test')
    await page.locator('[name=password]').fill('a long enough sentence')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Your first organization' }).waitFor()
    await page.locator('[name=name]').fill('Acme Pay')
    await page.getByRole('button', { name: 'Create organization' }).click()
    await page.getByRole('heading', { name: 'Get started' }).waitFor()
    const home = page.url().replace(/\/start$/, '')

    // By keyboard alone.
    await page.goto(`${home}/keys`)
    await page.getByRole('button', { name: 'Create key' }).first().focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Label').waitFor()
    await page.keyboard.type('checkout')
    await page.keyboard.press('Enter')
    const secret = page.locator('[data-secret]')
    const value = ((await secret.textContent()) ?? '').trim()
    expect(value).toMatch(/^sy_live_[0-9A-Za-z]{49}$/)
    await page.getByLabel('I have stored this key').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await secret.waitFor({ state: 'detached' })
    await page.reload()
    await settled(page)
    expect(await page.content()).not.toContain(value)
    expect(await page.getByText(value.slice(0, 12)).count()).toBe(1)

    const ask = (path: string, body?: object) =>
      fetch(`${url}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { 'x-api-key': value, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
    const made = await ask('/api/deposit-intents', {
      userId: 'first',
      targetChainId: 42161,
      targetTokenAddress: world.devnet.chains[42161].tokens['USDC']!.address,
      targetAddress: recipientOf('first'),
    })
    expect(made.status).toBe(201)
    const { depositAddress } = (await made.json()) as { depositAddress: `0x${string}` }

    // The list is open while it happens: nothing is loaded again.
    await page.goto(`${home}/executions`)
    await settled(page)
    await page.getByText('Live', { exact: true }).first().waitFor()
    await world.devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
    await page.getByRole('button', { name: /Show \d+ new/ }).click()
    await page.getByRole('cell', { name: 'SUCCESS' }).waitFor()
    await page.goto(`${home}/start`)
    await page.getByText('first’s deposit arrived').click()
    await page.getByText('Delivered.').first().waitFor()

    await page.goto(`${home}/keys`)
    await page.getByRole('button', { name: 'Change checkout' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByLabel('Label of the key').fill('checkout')
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('Requests with this key now get 401').waitFor()
    await Bun.sleep(1_000)
    expect((await ask('/api/executions')).status).toBe(401)
    expect(complaints).toEqual([])
    await context.close()
  }, 240_000)

  test('two organizations side by side see their own', async () => {
    const [one, other] = await Promise.all([visit(browser, url), visit(browser, url)])
    await signIn(one.page, account.email, account.password)
    await signIn(other.page, 'other@switchyard.test', account.password)
    const of = async ({ page }: typeof one) => {
      const home = new URL(page.url()).pathname.split('/').slice(0, 3).join('/')
      await page.goto(`${url}${home}/executions`)
      await settled(page)
      return page.locator('tbody tr').count()
    }
    expect(await of(one)).toBeGreaterThan(3)
    expect(await of(other)).toBe(0)
    // By its address, another organization's page leads home.
    await other.page.goto(`${url}/app/sandbox/executions`)
    await other.page.waitForURL(/\/app\/other/)

    expect([...one.complaints, ...other.complaints]).toEqual([])
    await Promise.all([one.context.close(), other.context.close()])
  }, 240_000)

  // The last one: what it kills comes back, but slowly.
  workerKilled(seen)
})
