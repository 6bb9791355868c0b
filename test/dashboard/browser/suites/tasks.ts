import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { hashOf } from '../../../support/deposits'
import { nightly } from '../../../support/depth'
import { clicksFromNow, settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'

/** A task of a person: what it is, the most clicks, and how it is done from the overview. Typing and pasting are free. */
type Task = readonly [what: string, clicksMax: number, act: (page: Page) => Promise<unknown>]

const navigate = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor()

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).first().click()
  await page.getByRole('option', { name: option, exact: true }).first().click()
}

/** Pastes a text into Find, and opens what it finds. */
async function find(page: Page, text: string, result: RegExp | null): Promise<void> {
  await page.getByRole('button', { name: /^Find/ }).first().click()
  await page.getByRole('combobox', { name: 'explorer link' }).fill(text)
  if (result) await page.getByRole('option', { name: result }).first().click()
}

async function createKey(page: Page): Promise<void> {
  await navigate(page, 'API keys')
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByLabel('Label').fill('counted')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.locator('[data-secret]').waitFor()
  await page.getByLabel('I have stored this key').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row', { name: /counted/ }).waitFor()
}

async function pause(page: Page): Promise<void> {
  await navigate(page, 'Operations')
  await page.getByRole('button', { name: 'Pause this organization' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('The clicks are counted')
  await dialog.getByRole('button', { name: /^Pause / }).click()
  await page
    .getByRole('button', { name: /^Resume/ })
    .first()
    .waitFor()
}

async function resume(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Resume/ })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('The clicks were counted')
  await dialog.getByRole('button', { name: /^Resume/ }).click()
  await dialog.waitFor({ state: 'detached' })
}

type SeededDeposit = { hash: string; userId: string }
const tasksOf = ({ hash, userId }: SeededDeposit): Record<string, readonly Task[]> => ({
  developer: [
    ['create a key', 5, createKey],
    [
      'see the requests of a key with their errors',
      2,
      async (page) => {
        await navigate(page, 'API keys')
        await page.getByRole('link', { name: 'client', exact: true }).click()
        await page.getByText('deposit-intents').first().waitFor()
      },
    ],
    [
      'receive webhooks on this machine',
      1,
      async (page) => {
        await navigate(page, 'Webhooks')
        await page.getByText('npx switchyard listen --forward').waitFor()
      },
    ],
    [
      'try a route',
      6,
      async (page) => {
        await navigate(page, 'Simulate')
        await page.getByLabel('User').fill(userId)
        await choose(page, 'From chain', 'Base')
        await choose(page, 'Token', 'USDC')
        await page.getByRole('button', { name: 'Simulate', exact: true }).click()
        await page.getByText('Routed').first().waitFor()
      },
    ],
    [
      'look up where deposits of a user go',
      2,
      async (page) => {
        await navigate(page, 'Deposit address')
        await page.getByLabel('User').first().fill(userId)
        await page.keyboard.press('Enter')
        await page.getByText(`Where ${userId} sends deposits`).waitFor()
      },
    ],
  ],
  support: [
    ['find a deposit by its transaction', 2, (page) => find(page, hash, /USDC/)],
    [
      'see that a wrong hash is unknown on its chain',
      1,
      async (page) => {
        await find(page, `https://basescan.org/tx/${hashOf(0xbeef)}`, null)
        await page.getByText('The chain has no such transaction; check the chain and the hash.').waitFor()
        await page.keyboard.press('Escape')
      },
    ],
    ['find a user, in capitals', 2, (page) => find(page, userId.toUpperCase(), new RegExp(userId))],
    [
      'see who acts next',
      2,
      async (page) => {
        await find(page, hash, /USDC/)
        await page.getByRole('region', { name: 'Current state' }).getByText('No action is needed').waitFor()
      },
    ],
    [
      'answer the customer',
      4,
      async (page) => {
        await find(page, hash, /USDC/)
        await page.getByRole('button', { name: 'Answer the customer' }).click()
        await page.getByText(/^Your deposit of .* Delivered\./).waitFor()
        await page.getByRole('button', { name: 'Copy sentence' }).click()
        await page.keyboard.press('Escape')
      },
    ],
  ],
  operator: [
    ['see whether something is wrong', 0, (page) => page.getByText('Need attention').waitFor()],
    ['pause routing', 3, pause],
    ['resume it', 2, resume],
    [
      'see the oldest execution that needs attention',
      4,
      async (page) => {
        await navigate(page, 'Executions')
        await page.getByRole('button', { name: 'Needs attention', exact: true }).click()
        await choose(page, 'Order', 'Oldest first')
        await page.locator('tbody tr').first().waitFor()
      },
    ],
    [
      'list a state of the map by age',
      2,
      async (page) => {
        await page
          .getByRole('region', { name: 'Live map' })
          .getByRole('button', { name: /^No route FAILED_UNROUTABLE_MAIN/ })
          .click()
        await page.getByRole('link', { name: 'All of any time, oldest first' }).click()
        await page.waitForURL(/status=FAILED_UNROUTABLE_MAIN&order=oldest/)
        await page.locator('tbody tr').first().waitFor()
      },
    ],
    [
      'see what holds a failed execution',
      2,
      async (page) => {
        await page.getByRole('link', { name: 'See who must act' }).click()
        await page.locator('tbody tr a').first().click()
        await page.getByRole('region', { name: 'Current state' }).waitFor()
      },
    ],
  ],
  finance: [
    [
      'read the month’s volume and fees',
      1,
      async (page) => {
        await navigate(page, 'Statement')
        await page.getByText('Delivered', { exact: true }).first().waitFor()
      },
    ],
    [
      'read the fees of a token',
      3,
      async (page) => {
        await navigate(page, 'Statement')
        await settled(page)
        await choose(page, 'Token', 'USDC')
        await page.waitForURL(/token=USDC/)
      },
    ],
    [
      'save the month as CSV',
      2,
      async (page) => {
        await navigate(page, 'Statement')
        await settled(page)
        await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export CSV' }).click()])
      },
    ],
    [
      'save the month’s deposits as CSV',
      5,
      async (page) => {
        await navigate(page, 'Deposits')
        await choose(page, 'Seen', 'This month')
        await page.getByRole('button', { name: 'Export', exact: true }).click()
        const item = page.getByRole('menuitem', { name: /CSV/ })
        await Promise.all([page.waitForEvent('download'), item.click()])
      },
    ],
    [
      'see whether the month is closed',
      1,
      async (page) => {
        await navigate(page, 'Statement')
        await page.getByText('This month is not closed.').waitFor()
      },
    ],
  ],
})

/** Five tasks of each of four people, from the overview, with the clicks of each. */
export function taskTests(seen: () => Seen): void {
  nightly('developers, supporters, operators and finance do their tasks in few clicks', async () => {
    const { browser, url, account, world } = seen()
    const { page, context, complaints } = await visit(browser, url)
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    const [delivered] = await world.executionsOf('shown-1')
    const known = { hash: delivered!.deposit.txHash!, userId: 'shown-1' }
    const clicks = await clicksFromNow(page)
    const counted: string[] = []
    const over: string[] = []
    for (const [person, tasks] of Object.entries(tasksOf(known)))
      for (const [what, most, act] of tasks) {
        await turnTo(page, `${home}`)
        await heading(page, 'Overview')
        const before = clicks()
        await act(page)
        const count = clicks() - before
        counted.push(`${person}: ${what}, ${count}`)
        if (count > most) over.push(`${person}: ${what}, ${count} of ${most}`)
      }
    console.log(`Clicks\n${counted.join('\n')}`)
    expect(over).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
  })
}
