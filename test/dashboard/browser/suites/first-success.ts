import { expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { recipientOf } from '../../../../src/cli/demo/demo-deposits'
import { nightly } from '../../../support/depth'
import { until } from '../../../support/until'
import { clicksFromNow, keepPicture, settled, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage } from '../page-checks'

const mark = '(done)'
const titles = [
  'Create an API key',
  'Set where a user’s deposits go',
  'Receive webhooks',
  'Send a deposit',
  'See it delivered',
] as const

/** Signs up as a new person with a new organization, and ends on the start page. */
async function signUp(page: Page, { name, email, organization }: Record<'name' | 'email' | 'organization', string>) {
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.locator('[name=name]').fill(name)
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill('a long enough sentence')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Your first organization' }).waitFor()
  const clicks = await clicksFromNow(page)
  await page.locator('[name=name]').fill(organization)
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.getByRole('heading', { name: 'Get started' }).waitFor()
  return { clicks, start: page.url() }
}

const stepsOf = (page: Page) =>
  titles.map((title) => page.locator('.step').filter({ has: page.getByRole('heading', { name: title }) }))

/** Does the first four steps, the first of them with only the keyboard. Returns the key. */
async function takeSteps(page: Page): Promise<string> {
  const [key, intent, webhooks, deposit, delivery] = stepsOf(page) as [Locator, Locator, Locator, Locator, Locator]
  await key.getByRole('button', { name: 'Create a test key' }).focus()
  await page.keyboard.press('Enter')
  const value = ((await key.locator('[data-secret]').textContent()) ?? '').trim()
  await key.getByText(mark).waitFor()
  // The button is gone, and the focus stays in the step.
  expect(await key.getByRole('heading').evaluate((each) => each === document.activeElement)).toBe(true)
  expect(await intent.locator('[data-curl]').textContent()).toContain(`-H 'x-api-key: ${value}'`)
  expect(await intent.getByText(mark).count()).toBe(0)
  await intent.getByRole('button', { name: 'Store the intent' }).click()
  await intent.getByText(mark).waitFor()
  await intent.getByText('The deposit address is').waitFor()
  expect(await deposit.getByText(mark).count()).toBe(0)
  await webhooks.getByRole('button', { name: 'Receive webhooks here' }).click()
  await webhooks.getByText('Waiting for the first event').waitFor()
  await deposit.getByRole('button', { name: 'Send a pretend deposit' }).click()
  await webhooks.getByText('execution.success').first().waitFor()
  await webhooks
    .getByText(/^arrived at \d/)
    .first()
    .waitFor()
  await delivery.getByText('user-1’s deposit arrived').waitFor()
  return value
}

/** From now on the page reads that its newest deposit has stopped, and that none was delivered. */
async function stopDeposits(page: Page): Promise<void> {
  await page.route('**/app/api/executions?status=SUCCESS*', (route) => route.fulfill({ json: [] }))
  await page.route('**/app/api/deposits?limit=1', async (route) => {
    const rows = (await (await route.fetch()).json()) as object[]
    const next = { actor: 'INTEGRATOR', action: 'CHANGE_INTENT', by: null, message: 'Correct the intent.' }
    await route.fulfill({ json: rows.map((row) => ({ ...row, next })) })
  })
}

/** Makes another key with only the keyboard, uses it for a deposit that a list shows live, and revokes it. */
async function makeUseAndRevokeKey(page: Page, home: string, { url, world }: Seen): Promise<void> {
  // With only the keyboard.
  await page.goto(`${home}/keys`)
  await page.getByRole('button', { name: 'Create key' }).first().focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Label').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('checkout')
  await page.keyboard.press('Enter')
  const secret = page.locator('[data-secret]')
  const value = ((await secret.textContent()) ?? '').trim()
  expect(value).toMatch(/^sy_test_[0-9A-Za-z]{49}$/)
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

  // The list is open during this, and nothing is reloaded.
  await page.goto(`${home}/executions`)
  await settled(page)
  await page.getByText('Live', { exact: true }).first().waitFor()
  await world.devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
  await page.getByRole('button', { name: /Show \d+ new/ }).click()
  await page.getByRole('cell', { name: 'SUCCESS' }).nth(1).waitFor()
  await page.goto(`${home}/start`)
  await page.getByText('first’s deposit arrived').click()
  await page.getByText('Delivered.').first().waitFor()

  await page.goto(`${home}/keys`)
  await page.getByRole('button', { name: 'Change checkout' }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await page.getByLabel('Label of the key').fill('checkout')
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('Requests with this key now get 401').waitFor()
  await until('a refusal of the revoked key', async (note) => note((await ask('/api/executions')).status) === 401)
}

/** A new integrator's first steps, from nothing to a delivered deposit. */
export function firstSuccessTests(seen: () => Seen): void {
  test('a new integrator gets from sign-up to the first SUCCESS in five clicks on one page, and then makes, uses and revokes a key', async () => {
    const { browser, url } = seen()
    const { page, context, complaints, outside } = await visit(browser, url)
    const { clicks, start } = await signUp(page, { name: 'Eva', email: 'eva@first.test', organization: 'First Day' })
    const value = await takeSteps(page)
    expect(value).toMatch(/^sy_test_[0-9A-Za-z]{49}$/)
    expect(clicks()).toBe(5)
    expect(page.url()).toBe(start)

    await page.getByText(/^Signed headers of /).click()
    await page.getByText(/webhook-signature: v1,/).waitFor()
    expect(await checkPage(page, 'start-after-the-first-day')).toEqual({})
    await page.reload()
    await settled(page)
    for (const step of stepsOf(page)) await step.getByText(mark).waitFor()
    expect(await page.content()).not.toContain(value)
    expect(await page.locator('[data-curl]').textContent()).toContain(`'x-api-key: ${value.slice(0, 12)}…'`)
    await page.getByText('execution.success').first().waitFor()
    await makeUseAndRevokeKey(page, start.replace(/\/start$/, ''), seen())
    expect([complaints, outside]).toEqual([[], []])
    await context.close()
  })

  nightly('each step that is refused says why in its place, and its button repeats it', async () => {
    const { browser, url } = seen()
    const { page, context, complaints } = await visit(browser, url)
    await signUp(page, { name: 'Ute', email: 'ute@refused.test', organization: 'Refused' })
    const refused = new Set<string>()
    await page.route(/\/app\/api\/(keys|deposit-intents|webhook-endpoints|pretend-deposits)$/, (route) => {
      const { pathname } = new URL(route.request().url())
      if (route.request().method() !== 'POST' || refused.has(pathname)) return route.fallback()
      refused.add(pathname)
      return route.fulfill({ status: 503, json: { message: 'Refused by the test' } })
    })
    const buttons = ['Create a test key', 'Store the intent', 'Receive webhooks here', 'Send a pretend deposit']
    for (const [n, name] of buttons.entries()) {
      const step = stepsOf(page)[n]!
      await step.getByRole('button', { name }).click()
      await step.getByText('Refused by the test').waitFor()
      expect(await step.getByText(mark).count(), name).toBe(0)
      expect(await checkPage(page, `start-refused-${n}`)).toEqual({})
      await step.getByRole('button', { name }).click()
      await step.getByText('Refused by the test').waitFor({ state: 'detached' })
    }
    for (const step of stepsOf(page)) await step.getByText(mark).waitFor()
    expect(refused.size).toBe(4)
    for (const width of [320, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `${width}`).toBe(0)
      await keepPicture(page, `start-refused-${width}`, true)
    }
    await stopDeposits(page)
    await page.reload()
    await page.getByText('This deposit was not delivered. Correct the intent.').waitFor()
    expect(await checkPage(page, 'start-stopped')).toEqual({})
    expect(complaints.filter((each) => !each.includes('503'))).toEqual([])
    await context.close()
  })
}
