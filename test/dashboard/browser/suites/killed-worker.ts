import { expect } from 'bun:test'
import { nightly } from '../../../support/depth'
import { keepScreen, settled, signIn, visit } from '../browser'
import type { Seen } from '../in-browser'

/** A page stays current when a process dies. */
export function killedWorkerTests(seen: () => Seen): void {
  nightly('a killed worker is shown as away and then live again, and the row ends without a reload', async () => {
    const { world, browser, url, account } = seen()
    const { page, context, complaints } = await visit(browser, url)
    await signIn(page, account.email, account.password)
    const userId = world.newUserId('killed')
    const { depositAddress } = await world.intend(userId, { to: 'arbitrum', receive: 'USDC' })
    await page.goto(`${page.url().replace(/\/$/, '')}/executions?user=${userId}`)
    await settled(page)
    await page.locator('header').getByText('Live', { exact: true }).waitFor()
    await page.evaluate(() => Object.assign(globalThis, { isKept: true }))
    await world.devnet.sendDeposit({ chainKey: 'base', token: 'SY-HOLD', amountRaw: 25_000_000n, to: depositAddress })
    await page.getByRole('button', { name: /Show \d+ new/ }).click()
    const status = page.locator('tbody .status-code')
    await page.getByRole('cell', { name: 'RUNNING' }).waitFor()

    process.kill(world.installation.server('service').pid!, 'SIGKILL')
    await page.getByText('Reconnecting').waitFor()
    await keepScreen(page, 'disconnected-light')
    await page.emulateMedia({ colorScheme: 'dark' })
    await keepScreen(page, 'disconnected-dark')
    expect(await status.textContent()).toBe('RUNNING')
    // The bridge releases the money while no worker is running.
    await fetch(`${world.devnet.controlUrl}/faults/bridge`, { method: 'DELETE' })
    await page.locator('header').getByText('Live', { exact: true }).waitFor()
    await page.getByRole('cell', { name: 'SUCCESS' }).waitFor()
    expect(await page.evaluate(() => (globalThis as { isKept?: boolean }).isKept)).toBe(true)
    expect(complaints).toEqual([])
    await context.close()
  })
}
