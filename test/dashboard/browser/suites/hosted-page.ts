import { expect, test } from 'bun:test'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPageTwice, checkPlainPage } from '../page-checks'

/** The page behind a link: created in the dashboard, opened on a phone without an account, until delivery. */
export function hostedPageTests(seen: () => Seen): void {
  test('a hosted page’s link is created, and shows a deposit on a phone until its delivery', async () => {
    const { browser, url, account, world } = seen()
    const user = world.newUserId('payer')
    const { depositAddress } = await world.intend(user, { to: 'arbitrum', receive: 'USDC' })
    const { page, context, complaints } = await visit(browser, url)
    const faults: Record<string, string[]> = {}
    const dialog = page.getByRole('dialog')
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    await turnTo(page, `${home}/address?user=${user}`)
    await page.getByRole('button', { name: 'Turn on', exact: true }).click()
    await dialog.getByLabel('Name').fill('Acme Wallet')
    await dialog.getByLabel('Colour').fill('#0b7285')
    // Any picture becomes a small PNG.
    const drawn =
      '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="300"><rect width="900" height="300" fill="teal"/></svg>'
    const file = { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(drawn) }
    await dialog.getByLabel('Logo').setInputFiles({ ...file, buffer: Buffer.from('no picture') })
    await dialog.getByText('This file is not a picture that can be shown.').waitFor()
    await dialog.getByLabel('Logo').setInputFiles(file)
    await dialog.getByAltText('The logo as payers see it').waitFor()
    Object.assign(faults, await checkPageTwice(page, 'hosted-page-settings'))
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create a link', exact: true }).click()
    const make = dialog.getByRole('button', { name: 'Create a link', exact: true })
    await dialog.getByLabel('Amount').fill('25')
    await dialog.getByText('Choose the token first.').waitFor()
    await dialog.getByRole('combobox', { name: 'Token and network' }).click()
    await page.getByRole('option', { name: 'USDC on Base', exact: true }).click()
    await dialog.getByLabel('Amount').fill('0.0000001')
    await dialog.getByText('Enter a number with at most 6 decimals, such as 1500 or 1.5.').waitFor()
    expect(await make.isDisabled()).toBe(true)
    Object.assign(faults, await checkPageTwice(page, 'hosted-page-new-link'))
    await dialog.getByLabel('Amount').fill('25')
    await make.click()
    await dialog.getByText('which asks for 25 USDC on Base').waitFor()
    const link = new URL((await dialog.locator('[data-link]').textContent())!)
    Object.assign(faults, await checkPageTwice(page, 'hosted-page-link'))
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()

    const phone = await visit(browser, url, { viewport: { width: 390, height: 844 } }, link.pathname + link.search)
    expect(await phone.page.title()).toBe('Pay Acme Wallet')
    const logo = phone.page.locator('header img')
    expect(await logo.evaluate((img) => [(img as HTMLImageElement).naturalWidth, img.clientHeight > 20])).toEqual([
      240,
      true,
    ])
    expect(await phone.page.locator('#address').textContent()).toBe(depositAddress)
    expect(await phone.page.getByLabel('Amount').inputValue()).toBe('25')
    await phone.page.getByText(/^about .* USDC at \d\d:\d\d UTC, deducted from your payment$/).waitFor()
    // With the keyboard alone.
    await phone.page.getByLabel('Amount').focus()
    await phone.page.keyboard.press('ControlOrMeta+a')
    await phone.page.keyboard.type('25')
    await phone.page.keyboard.press('Enter')
    await phone.page.waitForURL(/amount=25/)
    await phone.page.getByText('0.5 % (0.125 USDC)').waitFor()
    await phone.page.getByText(/^about 2\d\.\d+ USDC on Arbitrum$/).waitFor()
    const wallet = phone.page.getByRole('link', { name: 'Open in wallet' })
    expect(await wallet.getAttribute('href')).toMatch(/^ethereum:0x\w+@8453\/transfer\?address=0x\w+&uint256=25000000$/)
    // Another network keeps the amount, and leads back.
    await phone.page.getByRole('link', { name: 'Polygon', exact: true }).click()
    await phone.page.getByText(/^Send only USDC\S* on Polygon\.$/).waitFor()
    expect(await phone.page.getByLabel('Amount').inputValue()).toBe('25')
    await phone.page.goBack()
    await phone.page.getByText('Send only USDC on Base.').waitFor()
    await phone.context.setOffline(true)
    await phone.page.getByText(/^Not up to date since \d\d:\d\d UTC\./).waitFor()
    await phone.context.setOffline(false)
    await phone.page.getByText(/^Not up to date/).waitFor({ state: 'detached' })
    await phone.page.getByText('Nothing has arrived yet.').waitFor()
    Object.assign(faults, await checkPlainPage(phone.page, 'hosted-page'))
    await phone.page.setViewportSize({ width: 390, height: 844 })
    await world.devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
    await phone.page.getByText('Delivered', { exact: true }).waitFor()
    await phone.page.getByText(/USDC arrived on Arbitrum/).waitFor()
    Object.assign(faults, await checkPlainPage(phone.page, 'hosted-page-delivered'))
    expect([phone.complaints, phone.outside]).toEqual([[], []])
    expect(await phone.context.cookies()).toEqual([])

    // Support answers the payer with a sentence, and a link that shows the deposit alone.
    const [delivered] = await world.executionsOf(user)
    await turnTo(page, `${home}/executions/${encodeURIComponent(delivered!.id)}`)
    await page.getByRole('button', { name: 'Answer the customer' }).click()
    await dialog
      .getByText(/^Your deposit of 25 USDC on Base, .* UTC: Delivered\. .* USDC arrived on Arbitrum\. /)
      .waitFor()
    await dialog.getByRole('button', { name: 'Create a link' }).click()
    const shown = new URL((await dialog.locator('[data-answer=link]').textContent())!)
    Object.assign(faults, await checkPageTwice(page, 'answer-customer'))
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const reader = await visit(browser, url, {}, shown.pathname)
    await reader.page.getByText('Delivered', { exact: true }).waitFor()
    expect(await reader.page.locator('#address, form').count()).toBe(0)
    Object.assign(faults, await checkPlainPage(reader.page, 'deposit-link'))
    expect([reader.complaints, reader.outside]).toEqual([[], []])
    await reader.context.close()
    await turnTo(page, `${home}/address?user=${user}`)

    // The page is readable without scripts.
    const plain = await visit(browser, url, { javaScriptEnabled: false }, link.pathname)
    expect(await plain.page.locator('#state').textContent()).toContain('Delivered')
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    await dialog.getByLabel('Links to the page work').uncheck()
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Turn on', exact: true }).waitFor()
    await settled(page)
    await phone.page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    Object.assign(faults, await checkPlainPage(phone.page, 'hosted-page-over'))
    expect([faults, complaints]).toEqual([{}, []])
    await Promise.all([context.close(), phone.context.close(), plain.context.close()])
  })
}
