import { expect, test } from 'bun:test'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { lookAtPlain, lookTwice } from '../looks'

/** The page behind a link: made in the dashboard, opened on a phone by somebody without an account, until delivery. */
export function hostedPageTests(seen: () => Seen): void {
  test('a link to the hosted page is made, and shows somebody on a phone what arrives until it is delivered', async () => {
    const { browser, url, account, world } = seen()
    const user = world.newUserId('payer')
    const { depositAddress } = await world.intend(user, { to: 'arbitrum', receive: 'USDC' })
    const { page, context, complaints } = await visit(browser, url)
    const faults: Record<string, string[]> = {}
    const dialog = page.getByRole('dialog')
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    await turnTo(page, `${home}/address?user=${user}`)
    await page.getByRole('button', { name: 'Switch on', exact: true }).click()
    await dialog.getByLabel('Name').fill('Acme Wallet')
    await dialog.getByLabel('Colour').fill('#0b7285')
    Object.assign(faults, await lookTwice(page, 'hosted-page-settings'))
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Make a link', exact: true }).click()
    await dialog.getByRole('button', { name: 'Make a link', exact: true }).click()
    const link = new URL((await dialog.locator('[data-link]').textContent())!)
    Object.assign(faults, await lookTwice(page, 'hosted-page-link'))
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()

    const phone = await visit(browser, url, { viewport: { width: 390, height: 844 } }, link.pathname)
    expect(await phone.page.title()).toBe('Pay Acme Wallet')
    expect(await phone.page.locator('#address').textContent()).toBe(depositAddress)
    // With the keyboard alone.
    await phone.page.getByLabel('Amount').focus()
    await phone.page.keyboard.type('25')
    await phone.page.keyboard.press('Enter')
    await phone.page.waitForURL(/amount=25/)
    await phone.page.getByText('0.5 % (0.125 USDC)').waitFor()
    await phone.page.getByText('Nothing has arrived yet.').waitFor()
    Object.assign(faults, await lookAtPlain(phone.page, 'hosted-page'))
    await phone.page.setViewportSize({ width: 390, height: 844 })
    await world.devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
    await phone.page.getByText('Delivered', { exact: true }).waitFor()
    await phone.page.getByText(/USDC arrived on Arbitrum/).waitFor()
    Object.assign(faults, await lookAtPlain(phone.page, 'hosted-page-delivered'))
    expect([phone.complaints, phone.outside]).toEqual([[], []])
    expect(await phone.context.cookies()).toEqual([])

    // Nobody's scripts are needed to read it.
    const plain = await visit(browser, url, { javaScriptEnabled: false }, link.pathname)
    expect(await plain.page.locator('#state').textContent()).toContain('Delivered')
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    await dialog.getByLabel('Links to the page work').uncheck()
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Switch on', exact: true }).waitFor()
    await settled(page)
    await phone.page.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
    Object.assign(faults, await lookAtPlain(phone.page, 'hosted-page-over'))
    expect([faults, complaints]).toEqual([{}, []])
    await Promise.all([context.close(), phone.context.close(), plain.context.close()])
  }, 300_000)
}
