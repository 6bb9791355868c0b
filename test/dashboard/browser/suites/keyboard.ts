import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { recipientOf } from '../../../../src/cli/demo/demo-deposits'
import { nightly } from '../../../support/depth'
import { until } from '../../../support/until'
import { visit } from '../browser'
import type { Seen } from '../in-browser'

/** The element with the focus: its tag and its name. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement!
    const field = element as HTMLInputElement
    const name = element.getAttribute('aria-label') ?? field.labels?.[0]?.textContent ?? element.textContent
    return element === document.body ? 'body' : `${element.tagName.toLowerCase()} ${name!.trim().slice(0, 60)}`
  })

const focusOn = (page: Page, wanted: string): Promise<unknown> =>
  until(`the focus on ${wanted}`, async (note) => {
    const now = await focused(page)
    note(now)
    return now.startsWith(wanted)
  })

const stopsMax = 45
/** Presses Tab until the focus is there, and returns the number of presses. */
async function tabTo(page: Page, wanted: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<number> {
  const seen: string[] = []
  for (let n = 0; n <= stopsMax; n++) {
    const now = await focused(page)
    if (now.startsWith(wanted)) return n
    seen.push(now)
    await page.keyboard.press(key)
  }
  throw new Error(`Tab does not reach ${wanted}: ${seen.join(', ')}`)
}

const press = async (page: Page, ...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key)
}

/** The field with the focus is refused: it is invalid, and the refusal describes it. */
async function isRefused(page: Page, says: RegExp): Promise<void> {
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true')
  const described = await page.evaluate(() =>
    (document.activeElement!.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? ''),
  )
  expect(described.join(' ')).toMatch(says)
}

async function signInByKeys(page: Page, { email, password }: Seen['account']): Promise<void> {
  await focusOn(page, 'input E-mail')
  await page.keyboard.type(email)
  await press(page, 'Tab')
  await page.keyboard.type('not the password')
  await press(page, 'Enter')
  await focusOn(page, 'input Password')
  await isRefused(page, /password is wrong/)
  await press(page, 'ControlOrMeta+a')
  await page.keyboard.type(password)
  expect(await page.locator('[name=password]').getAttribute('aria-invalid')).toBe('false')
  await press(page, 'Enter')
  await focusOn(page, 'h1 Overview')
}

export function keyboardTests(seen: () => Seen): void {
  test('the focus returns to a refused field and goes to the heading of each page, and selects take letters', async () => {
    const { browser, url, account } = seen()
    const { page, context, complaints } = await visit(browser, url)
    await signInByKeys(page, account)
    await press(page, 'g', 'k')
    await focusOn(page, 'h1 API keys')
    await tabTo(page, 'button Create key')
    await press(page, 'Enter')
    await focusOn(page, 'input Label')
    await tabTo(page, 'input Role')
    await page.keyboard.type('oper')
    await press(page, 'Enter')
    await isChosen(page, 'Role', 'OPERATOR')
    await press(page, 'Escape')
    await focusOn(page, 'button Create key')
    expect(complaints).toEqual([])
    await context.close()
  })
}

/** Waits until a select has its value: the list opens first. */
const isChosen = (page: Page, name: string, value: string): Promise<unknown> =>
  until(`${value} in ${name}`, async (note) => {
    const now = await page.getByRole('combobox', { name }).inputValue()
    note(now)
    return now.startsWith(value)
  })

/** Makes a key, and returns to its page. */
async function makeKey(page: Page): Promise<void> {
  await press(page, 'g', 'k')
  await focusOn(page, 'h1 API keys')
  await tabTo(page, 'button Create key')
  await press(page, 'Enter')
  await focusOn(page, 'input Label')
  await page.keyboard.type('by keyboard')
  await tabTo(page, 'input Expires')
  await page.keyboard.type('After 90')
  await press(page, 'Enter')
  await isChosen(page, 'Expires', 'After 90 days')
  await tabTo(page, 'button Create key')
  await press(page, 'Enter')
  await page.locator('[data-secret]').waitFor()
  await tabTo(page, 'input I have stored this key')
  await press(page, 'Space', 'Tab', 'Enter')
  await focusOn(page, 'button Create key')
  await page.getByRole('row', { name: /by keyboard/ }).waitFor()
}

/** Stores an intent. The first recipient is refused. */
async function makeIntent(page: Page, recipient: string): Promise<void> {
  await press(page, 'g', 's')
  await focusOn(page, 'h1 Get started')
  // Another test may have stored an intent of this organization before. The form for a further one is then closed.
  const summary = page.getByText('Store an intent for another user')
  await page.getByText('The same from your server:').waitFor()
  if ((await summary.count()) > 0) {
    await tabTo(page, 'summary Store an intent for another user')
    await press(page, 'Enter')
  }
  await tabTo(page, 'input User')
  await press(page, 'ControlOrMeta+a')
  await page.keyboard.type('keyboard-1')
  await tabTo(page, 'input Recipient')
  await page.keyboard.type(`0x${'0'.repeat(40)}`)
  await press(page, 'Enter')
  await focusOn(page, 'input Recipient')
  await isRefused(page, /Invalid target address/)
  await press(page, 'ControlOrMeta+a')
  await page.keyboard.type(recipient)
  await tabTo(page, 'input Destination chain')
  await page.keyboard.type('Arbitrum')
  await press(page, 'Enter')
  await isChosen(page, 'Destination chain', 'Arbitrum')
  // The token is chosen already. Typing its name again keeps it.
  await tabTo(page, 'input Destination token')
  await page.keyboard.type('USDC')
  await press(page, 'Enter')
  await isChosen(page, 'Destination token', 'USDC')
  await tabTo(page, 'button Store the intent')
  await press(page, 'Enter')
  await page.getByText('Deposits of keyboard-1 arrive as').waitFor()
}

/** Adds a webhook endpoint. Its URL is refused first, and the focus never leaves the dialog. */
async function makeEndpoint(page: Page): Promise<void> {
  await press(page, 'g', 'w')
  await focusOn(page, 'h1 Webhooks')
  await tabTo(page, 'button Add endpoint')
  await press(page, 'Enter')
  await focusOn(page, 'input URL')
  await page.keyboard.type('nonsense')
  await tabTo(page, 'button Add endpoint')
  await press(page, 'Enter')
  await focusOn(page, 'input URL')
  await isRefused(page, /https:\/\/ URL/)
  for (let n = 0; n < 12; n++) {
    await press(page, 'Tab')
    expect(await page.evaluate(() => document.activeElement!.closest('[role=dialog]') !== null)).toBe(true)
  }
  await tabTo(page, 'input URL')
  await press(page, 'ControlOrMeta+a')
  await page.keyboard.type('https://example.com/keyboard')
  await press(page, 'Enter')
  await page.locator('[data-secret]').waitFor()
  await tabTo(page, 'input I have stored this secret')
  await press(page, 'Space', 'Tab', 'Enter')
  await focusOn(page, 'button Add endpoint')
  await page.getByRole('link', { name: 'https://example.com/keyboard' }).waitFor()
}

/** Chooses from the menu of the organization. Escape closes it, and the focus stays on its button. */
async function chooseInMenu(page: Page, organization: string, entry: string): Promise<void> {
  const button = `button Organization ${organization}`
  await tabTo(page, button, 'Shift+Tab')
  await press(page, 'Enter')
  await page.getByRole('menu').waitFor()
  await press(page, 'Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await focusOn(page, button)
  await press(page, 'Enter')
  await page.getByRole('menu').waitFor()
  for (let n = 0; n < 12 && (await focused(page)) !== `button ${entry}`; n++) await press(page, 'ArrowDown')
  await press(page, 'Enter')
}

export function keyboardWalkTests(seen: () => Seen): void {
  nightly('a key, an intent and an endpoint are made by keyboard alone, from sign-in to sign-out', async () => {
    const { browser, url, account, world } = seen()
    const { page, context, complaints } = await visit(browser, url)
    await signInByKeys(page, account)
    const organization = (await page.locator('.org-button').textContent())!.trim()
    await makeKey(page)
    await makeIntent(page, recipientOf('keyboard-1'))
    await makeEndpoint(page)

    await press(page, 'g', 'o')
    await focusOn(page, 'h1 Overview')
    // The map of states is one stop, and arrows go through it.
    const boxes = page.getByRole('region', { name: 'Live map' }).locator('[role=button]')
    await boxes.first().waitFor()
    expect(await boxes.evaluateAll((all) => all.filter((box) => (box as SVGElement).tabIndex === 0).length)).toBe(1)
    await boxes.first().focus()
    await press(page, 'ArrowRight', 'ArrowRight', 'ArrowLeft')
    expect(await boxes.nth(1).evaluate((box) => box === document.activeElement)).toBe(true)

    // Deposits that arrive are announced together, in the one region for it.
    const user = world.newUserId('keyboard')
    const { depositAddress } = await world.intend(user, { to: 'arbitrum', receive: 'USDC' })
    const deposit = { chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress } as const
    await world.devnet.sendDeposit(deposit)
    await page
      .locator('[aria-live=polite]')
      .getByText(/\d deposits? (arrived|delivered)/)
      .waitFor({ state: 'attached' })

    // Times are shown in full by a key, and in short again by a tap.
    await press(page, 'g', 'd')
    await focusOn(page, 'h1 Deposits')
    const time = page.locator('#main time').first()
    await time.getByText(/ago|now/).waitFor()
    await press(page, 't')
    await time.getByText(/\d\d:\d\d:\d\d/).waitFor()
    await page.reload()
    await time.getByText(/\d\d:\d\d:\d\d/).waitFor()
    await page.keyboard.press('Tab')
    await time.click()
    await time.getByText(/ago|now/).waitFor()

    await press(page, 'g', 'a')
    await chooseInMenu(page, organization, 'Your account')
    await focusOn(page, 'h1 Your account')
    await tabTo(page, 'input Single-key shortcuts')
    await press(page, 'Space', 'g', 'k')
    await focusOn(page, 'input Single-key shortcuts')
    await page.reload()
    await focusOn(page, 'h1 Your account')
    await press(page, 'g', 'k', '?')
    await focusOn(page, 'h1 Your account')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await tabTo(page, 'input Single-key shortcuts')
    await press(page, 'Space', 'g', 'k')
    await focusOn(page, 'h1 API keys')

    // Three keys lead out, also without the mouse and with single keys turned off.
    await press(page, 'ControlOrMeta+k')
    await focusOn(page, 'input Page, user')
    await page.keyboard.type('sign out')
    await page.getByRole('option', { name: 'Sign out' }).waitFor()
    await press(page, 'Enter')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await focusOn(page, 'input E-mail')
    // The refused URL.
    expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([])
    await context.close()
  })
}
