import { expect } from 'bun:test'
import { nightly } from '../../../support/depth'
import { signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage } from '../page-checks'

/**
 * Pretend deposits on test chains. Elsewhere the page names the command that runs the demo. The usual run sends one in
 * the walk of the first day.
 */
export function pretendDepositTests(seen: () => Seen): void {
  nightly('a pretend deposit is sent with a button, followed to its end, and logged', async () => {
    const { world, browser, url, account } = seen()
    const userId = world.newUserId('pretend')
    await world.intend(userId, { to: 'arbitrum', receive: 'USDC' })
    const { page, context, complaints, outside } = await visit(browser, url)
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    await turnTo(page, `${home}/start`)
    const part = page.getByRole('region', { name: 'Pretend deposit' })
    await part.getByLabel('User').fill('nobody-at-all')
    await part.getByLabel('User').press('Enter')
    await part.getByText('No deposit intent for this user').waitFor()
    await part.getByLabel('User').fill(userId)
    await part.getByRole('button', { name: 'Send a pretend deposit' }).click()
    await part.getByText('SUCCESS').waitFor()
    await part.getByText('Delivered.').waitFor()
    await part.getByText(`25 USDC on Base to ${userId}`).waitFor()
    const faults = await checkPage(page, 'start-pretend')
    const [execution] = await world.executionsOf(userId)
    expect(execution!.deposit.amountRaw).toBe('25000000')
    await part.getByRole('link', { name: 'Open the execution' }).click()
    await page.waitForURL(new RegExp(execution!.deposit.txHash!))
    await turnTo(page, `${home}/audit`)
    await page.getByText('Sent a pretend deposit').first().waitFor()
    expect([faults, complaints, outside]).toEqual([{}, [], []])
    await context.close()
  })

  nightly('no pretend money is offered where money is real, and the demo’s command is named', async () => {
    const { browser, url, account } = seen()
    const { page, context, complaints } = await visit(browser, url)
    await page.route('**/app/api/first-steps', (route) =>
      route.fulfill({ json: { hasIntent: true, userId: 'user-1', hasFaucet: false } }),
    )
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    await turnTo(page, `${home}/start`)
    await page.getByText('Or try it with pretend money').click()
    await page.getByText('This installation has no pretend money').waitFor()
    await page.getByText('npm run demo', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Send a pretend deposit' }).count()).toBe(0)
    const faults = await checkPage(page, 'start-real')
    expect([faults, complaints]).toEqual([{}, []])
    await context.close()
  })
}
