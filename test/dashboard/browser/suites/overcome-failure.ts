import { expect } from 'bun:test'
import { nightly } from '../../../support/depth'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPageTwice } from '../page-checks'

/** The deposit of `shown-3`, which a provider failed twice before its delivery. */
export function overcomeFailureTests(seen: () => Seen): void {
  nightly('a failure before SUCCESS is shown as history, but not as a cause in the list or the table', async () => {
    const { world, browser, url, account } = seen()
    const { page, context, complaints } = await visit(browser, url)
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    const [flaky] = await world.executionsOf('shown-3')
    expect([flaky!.status, flaky!.cause?.code]).toEqual(['SUCCESS', 'PROVIDER_FAILED'])

    await turnTo(page, `${home}/executions?cause=PROVIDER_FAILED`)
    const row = page.locator('tbody tr', { has: page.locator(`a[href$="${encodeURIComponent(flaky!.id)}"]`) })
    await row.waitFor()
    expect((await row.locator('[data-at=cause]').textContent())?.trim()).toBe('–')
    expect(await page.getByRole('combobox', { name: 'Last failure', exact: true }).inputValue()).toBe('Provider failed')
    expect(await checkPageTwice(page, 'executions-overcome')).toEqual({})

    await page.getByRole('button', { name: 'Export' }).click()
    const csv = page.getByRole('menuitem', { name: 'As CSV' })
    const [file] = await Promise.all([page.waitForEvent('download'), csv.click()])
    const text = await Bun.file(await file.path()).text()
    const [names, ...rows] = text.split('\r\n').map((line) => line.split(','))
    const told = rows.find((cells) => cells[names!.indexOf('id')] === flaky!.id)!
    expect([told[names!.indexOf('status')], told[names!.indexOf('causeCode')]]).toEqual(['SUCCESS', ''])

    await turnTo(page, `${home}/executions?user=shown-2`)
    await settled(page)
    expect((await page.locator('tbody [data-at=cause]').first().textContent())?.trim()).toBe('no route')
    expect(complaints).toEqual([])
    await context.close()
  })
}
