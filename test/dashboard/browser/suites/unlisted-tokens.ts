import { expect } from 'bun:test'
import { nightly } from '../../../support/depth'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage, checkPageTwice } from '../page-checks'

/** A deposit of an unlisted token is shown on request only, and routed after a rescan. */
export function unlistedTokenTests(seen: () => Seen): void {
  nightly('an unlisted token is shown separately with the possible action, and is routed with a button', async () => {
    const { world, browser, url, account } = seen()
    const userId = world.newUserId('unlisted')
    const { depositAddress: to } = await world.intend(userId, { to: 'arbitrum', receive: 'USDC' })
    await world.devnet.sendDeposit({ chainKey: 'base', token: 'SY-UNLISTED', amountRaw: 25_000_000n, to })
    const { page, context, complaints } = await visit(browser, url)
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    await turnTo(page, `${home}/deposits`)
    await settled(page)
    const row = page.getByRole('row').filter({ hasText: userId })
    expect(await row.count()).toBe(0)

    await page.getByRole('button', { name: 'Show unlisted tokens' }).click()
    await page.getByText('a rescan routes one that was intended').waitFor()
    await row.getByText('UNSUPPORTED').waitFor()
    const faults = await checkPage(page, 'deposits-on-no-list')
    await row.getByRole('link').first().click()
    const rescan = page.getByRole('button', { name: 'Rescan' })
    await rescan.waitFor()
    Object.assign(faults, await checkPageTwice(page, 'deposit-on-no-list'))
    await rescan.click()
    await page.getByText('A deposit was found and is now being routed.').waitFor()
    await rescan.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Open the deposit that is routed' }).click()
    await page.waitForURL(/sweep/)
    await settled(page)

    await turnTo(page, `${home}/deposits?stage=UNSUPPORTED`)
    await page.getByText('a rescan routes one that was intended').waitFor()
    // The earlier rows are shown until the list has loaded again.
    await row.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show all other deposits' }).click()
    await row.first().waitFor()
    expect([faults, complaints]).toEqual([{}, []])
    await context.close()
  })
}
