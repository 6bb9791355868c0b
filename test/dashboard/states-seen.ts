import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { settled, signIn, visit } from './browser'
import { lookTwice } from './looks'
import type { Seen } from './seen'

/** What is not a page: dialogs, what is empty, loads or went wrong, and what only the platform's operators see. */
export function statesSeen(seen: () => Seen): void {
  test('what is seen before signing in', async () => {
    const { browser, url } = seen()
    const { page, context, complaints } = await visit(browser, url)
    const faults: object[] = []
    await page.getByRole('button', { name: 'Create an account' }).click()
    faults.push(await lookTwice(page, 'sign-up'))
    for (const [title, path] of [
      ['forgotten', '/forgotten'],
      ['new-password', '/reset-password?token=none'],
      ['invitation', '/invitation?token=none'],
    ] as const) {
      await page.goto(`${url}/app${path}`)
      faults.push(await lookTwice(page, title))
    }
    await page.goto(`${url}/app`)
    await page.locator('[name=email]').fill('nobody@switchyard.test')
    await page.locator('[name=password]').fill('not the password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').waitFor()
    faults.push(await lookTwice(page, 'sign-in-refused'))
    expect([faults.filter((each) => Object.keys(each).length > 0), complaints]).toEqual([[], []])
    await context.close()
  }, 240_000)

  test('dialogs, results, and pages that load or fail', async () => {
    const { browser, url, account, world } = seen()
    const { page, context } = await visit(browser, url)
    const faults: object[] = []
    await signIn(page, account.email, account.password)
    const home = page.url().replace(/\/$/, '')
    const go = async (path: string) => {
      await page.goto(`${home}${path}`)
      await settled(page)
    }
    const seenAs = async (title: string) => faults.push(await lookTwice(page, title))

    await go('/keys')
    await page.getByRole('button', { name: 'Create key' }).first().click()
    await page.getByLabel('Label').fill('production')
    await seenAs('key-create')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page.locator('[data-secret]').waitFor()
    await seenAs('key-once')
    await page.getByLabel('I have stored this key').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Change production' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await seenAs('key-revoke')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'client', exact: true }).click()
    await page.getByText('deposit-intents').first().waitFor()
    await seenAs('key-requests')

    await go('/')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('oper')
    await seenAs('find')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await seenAs('shortcuts')
    await page.keyboard.press('Escape')

    await go('/simulate')
    await page.getByLabel('User').fill('shown-1')
    await choose(page, 'From chain', 'Base')
    await choose(page, 'Token', 'USDC')
    await page.getByRole('button', { name: 'Simulate', exact: true }).click()
    await page.getByText('Routed').first().waitFor()
    await seenAs('simulated')

    await go('/members')
    await page.getByPlaceholder('ada@example.com').fill('new@switchyard.test')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByText('new@switchyard.test').first().waitFor()
    await seenAs('members-invited')
    await go('/audit')
    await page.getByText('key.create').first().waitFor()
    await seenAs('audit')
    const [refused] = await world.executionsOf('shown-2')
    await go(`/executions/${encodeURIComponent(refused!.id)}`)
    await seenAs('execution-failed')
    await go('/executions/none')
    await seenAs('execution-unknown')

    await page.route('**/app/api/executions?**', (route) => route.abort())
    await page.goto(`${home}/executions`)
    await page.getByRole('alert').waitFor()
    await seenAs('executions-failed')
    await page.unroute('**/app/api/executions?**')
    expect(faults.filter((each) => Object.keys(each).length > 0)).toEqual([])
    await context.close()
  }, 240_000)

  test('what the platform’s operators see, and who has nothing yet', async () => {
    const { browser, url, account } = seen()
    const [operator, other] = await Promise.all([visit(browser, url), visit(browser, url)])
    await signIn(operator.page, 'operator@switchyard.test', account.password)
    await signIn(other.page, 'other@switchyard.test', account.password)
    const faults: object[] = []
    for (const [{ page }, prefix, paths] of [
      [operator, 'platform', ['', 'operations', 'blacklist', 'executions']],
      [other, 'empty', ['', 'executions', 'deposits', 'usage', 'start']],
    ] as const) {
      const home = page.url().replace(/\/$/, '')
      for (const path of paths) {
        await page.goto(`${home}/${path}`)
        await page.locator('main#main h1').waitFor()
        faults.push(await lookTwice(page, `${prefix}-${path || 'overview'}`))
      }
    }
    expect(faults.filter((each) => Object.keys(each).length > 0)).toEqual([])
    expect([...operator.complaints, ...other.complaints]).toEqual([])
    await Promise.all([operator.context.close(), other.context.close()])
  }, 240_000)
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).or(page.getByLabel(label)).first().click()
  await page.getByRole('option', { name: option, exact: true }).first().click()
}
