import { expect, test } from 'bun:test'
import { recipientOf } from '../../../../src/cli/demo/demo-deposits'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage, checkPageTwice } from '../page-checks'

/** The search box of a list, saved views, and the export. */
export function searchAndViewTests(seen: () => Seen): void {
  test('the search box takes an id, a user, an address and a hash, and a view is saved and exported as shown', async () => {
    const { world, browser, url, account } = seen()
    const { page, context, complaints } = await visit(browser, url)
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    await turnTo(page, `${home}/executions`)

    const [first] = await world.executionsOf('shown-1')
    const box = page.getByRole('textbox', { name: 'Search' })
    // A pause while typing keeps the focus in the field.
    await box.click()
    await page.keyboard.type('shown')
    await page.waitForURL(/q=shown$/)
    await page.keyboard.type('-1')
    await page.waitForURL(/q=shown-1$/)
    await page.getByRole('link', { name: first!.id.slice(0, 8) }).waitFor()
    for (const searchText of [
      recipientOf('shown-1'),
      first!.deposit.account,
      first!.deposit.txHash!,
      first!.facts.delivery!.hash,
      first!.facts.routeId!,
      first!.id,
    ]) {
      await box.fill(searchText)
      await page.waitForURL(new RegExp(`q=${encodeURIComponent(searchText)}$`))
      await settled(page)
      await page.locator(`a[href$="${encodeURIComponent(first!.id)}"]`).waitFor()
      expect([searchText, await page.locator('tbody tr').count()]).toEqual([searchText, 1])
    }
    await box.fill(first!.deposit.fromAddress!)
    await page.getByRole('button', { name: 'Search everywhere' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForFunction(() => location.search === '')
    expect(await box.inputValue()).toBe('')

    await turnTo(page, `${home}/executions?status=SUCCESS`)
    await page.getByRole('button', { name: '+ Save this view' }).click()
    await page.getByLabel('Name').fill('Delivered')
    expect(await checkPageTwice(page, 'view-save')).toEqual({})
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const view = page.getByRole('button', { name: 'Delivered', exact: true })
    await view.waitFor()
    expect(await view.getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.waitForFunction(() => location.search === '')
    await page.reload()
    await settled(page)
    await view.click()
    await page.waitForURL(/status=SUCCESS$/)
    await settled(page)
    const shown = await page.locator('tbody .status-code').allTextContents()
    expect(new Set(shown)).toEqual(new Set(['SUCCESS']))

    const exported = async (format: string) => {
      await page.getByRole('button', { name: 'Export' }).click()
      const item = page.getByRole('menuitem', { name: `As ${format}` })
      const [file] = await Promise.all([page.waitForEvent('download'), item.click()])
      expect(file.suggestedFilename()).toBe(`executions.${format.toLowerCase()}`)
      return Bun.file(await file.path())
    }
    const told = (await (await exported('JSON')).json()) as { id: string; status: string; funds: object }[]
    expect(told.map(({ status }) => status)).toEqual(shown)
    expect(told[0]!.funds).toBeObject()
    const file = await exported('CSV')
    const [names, ...rows] = (await file.text()).split('\r\n').map((line) => line.split(','))
    expect(rows.map((row) => row[names!.indexOf('status')])).toEqual(shown)
    expect(rows.map((row) => row[names!.indexOf('id')])).toContain(first!.id)
    for (const row of rows) {
      expect(row).toHaveLength(names!.length)
      expect(row.join()).not.toContain('[object')
    }

    const [protocolFee, gasFee] = ['protocolFeeTokens', 'gasFeeTokens'].map((name) => names!.indexOf(name))
    expect(rows.every((row) => Number(row[protocolFee!]) > 0 && Number(row[gasFee!]) > 0)).toBe(true)
    expect(await page.getByText(/^fees \d/).count()).toBe(shown.length)
    expect(await checkPage(page, 'executions-with-fees')).toEqual({})

    // Another device of the same person has the view as well.
    const other = await visit(browser, url)
    await signIn(other.page, account.email, account.password)
    await turnTo(other.page, `${home}/executions`)
    await other.page.getByRole('button', { name: 'Delivered', exact: true }).click()
    await other.page.waitForURL(/status=SUCCESS$/)
    await other.context.close()

    await page.getByRole('button', { name: 'Forget “Delivered”' }).click()
    await view.waitFor({ state: 'detached' })
    await page.reload()
    await settled(page)
    expect(await view.count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })
}
