import type { Page } from 'playwright-core'
import { checkPageTwice } from '../page-checks'

type Visit = {
  page: Page
  go: (path: string) => Promise<void>
  seenAs: (title: string, checkPage?: typeof checkPageTwice) => Promise<unknown>
}

/** Opens a dialog, checks it, and closes it with the keyboard. */
async function opened({ page, seenAs }: Visit, title: string, button: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: button }).first().click()
  await page.getByRole('dialog').waitFor()
  await seenAs(title, checkPageTwice)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

export async function keyDialogs({ page, go, seenAs }: Visit): Promise<void> {
  const change = async (what: string) => {
    await page.getByRole('button', { name: 'Change production' }).click()
    await page.getByRole('menuitem', { name: what }).click()
    await page.getByRole('dialog').waitFor()
    await seenAs(`key-${what.toLowerCase()}`, checkPageTwice)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // The focused menu item is gone, so focus returns to the button that opened the menu.
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Change production')
  }
  await go('/keys')
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByLabel('Label').fill('production')
  await seenAs('key-create', checkPageTwice)
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.locator('[data-secret]').waitFor()
  await seenAs('key-once', checkPageTwice)
  await page.getByLabel('I have stored this key').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Change production' }).click()
  await page.getByRole('menu').waitFor()
  await seenAs('key-menu')
  await page.keyboard.press('Escape')
  await change('Edit')
  await change('Roll')
  await change('Revoke')
  await page.getByRole('link', { name: 'client', exact: true }).click()
  await page.getByText('deposit-intents').first().waitFor()
  await seenAs('key-requests')
}

export async function personDialogs(visit: Visit): Promise<void> {
  const { page, go, seenAs } = visit
  await go('')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('oper')
  await seenAs('find', checkPageTwice)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await seenAs('shortcuts', checkPageTwice)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('header [aria-haspopup=menu]').click()
  await page.getByRole('menu').waitFor()
  await seenAs('organization-menu', checkPageTwice)
  await page.keyboard.press('Escape')
  await go('/members')
  await opened(visit, 'member-remove', /^Remove /)
  await opened(visit, 'identity-provider', 'Connect a provider')
  await go('/account')
  await opened(visit, 'account-delete', 'Delete your account')
  await page.locator('[name=password]').last().fill('not the password')
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('alert').waitFor()
  await seenAs('second-step-refused')
}

export async function operatorDialogs(visit: Visit): Promise<void> {
  const { page, go } = visit
  await go('/operations')
  await opened(visit, 'pause', 'Pause something')
  await go('/blacklist')
  await opened(visit, 'security-list-add', 'Add an entry')
  await go('/executions?status=FAILED_UNROUTABLE_MAIN')
  await page.locator('tbody a').first().click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await opened(visit, 'execution-act', 'Re-drive')
}
