import { expect, test } from 'bun:test'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage } from '../page-checks'

/** Reads a saved file of the page. */
const savedBy = async (page: Awaited<ReturnType<typeof visit>>['page'], click: () => Promise<void>) => {
  const [file] = await Promise.all([page.waitForEvent('download'), click()])
  return { name: file.suggestedFilename(), text: await Bun.file((await file.path())!).text() }
}

/** A month’s figures for finance, and the receipt of one execution. */
export function statementTests(seen: () => Seen): void {
  test('a month’s statement has the figures of the API, adds up, is saved as CSV and can be printed', async () => {
    const { browser, url, account, world } = seen()
    const { page, context, complaints } = await visit(browser, url)
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    const month = new Date().toISOString().slice(0, 7)
    const me = (await (await context.request.get(`${url}/app/api/me`)).json()) as {
      organizations: { id: string; slug: string }[]
    }
    const { id } = me.organizations.find(({ slug }) => home.endsWith(slug))!
    const answer = await context.request.get(`${url}/app/api/statements?month=${month}`, {
      headers: { 'x-organization-id': id },
    })
    const answered = (await answer.json()) as {
      totals: { deposits: number; deliveries: number; deliveredUsd: string; protocolFeeUsd: string; volumeUsd: string }
    }
    const { totals } = answered
    expect(totals.deliveries).toBeGreaterThan(0)

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Statement' }).click()
    await page.getByRole('heading', { name: /^Statement, \w+ \d{4}$/, level: 1 }).waitFor()
    await settled(page)
    await page.getByText('This month is not closed.').waitFor()
    const shownBy = (what: string) =>
      page
        .locator('.tile', { has: page.getByText(what, { exact: true }) })
        .locator('.value')
        .textContent()
    expect([await shownBy('Deposits'), await shownBy('Deliveries')]).toEqual([
      String(totals.deposits),
      String(totals.deliveries),
    ])
    expect((await shownBy('Volume'))!.replaceAll(',', '')).toBe(`$${totals.volumeUsd}`)
    expect(Number((await shownBy('Fees'))!.replaceAll(/[$,]/g, ''))).toBe(Number(totals.protocolFeeUsd))
    const total = page.getByRole('table', { name: 'Deliveries' }).locator('tfoot')
    expect((await total.textContent())!.replaceAll(',', '')).toContain(`$${totals.deliveredUsd}`)
    expect(await checkPage(page, 'statement-of-a-month')).toEqual({})

    const { name, text } = await savedBy(page, () => page.getByRole('button', { name: 'Export CSV' }).click())
    expect(name).toBe(`statement-${month}.csv`)
    expect(text).toStartWith('month,isFinal,asOf,chainId')

    // The deposits of one key alone.
    const headers = { 'x-organization-id': id }
    const keys = (await (await context.request.get(`${url}/app/api/keys`, { headers })).json()) as {
      id: string
      label: string
    }[]
    const keyId = keys.find(({ label }) => label === 'client')!.id
    await page.getByRole('combobox', { name: 'API key' }).click()
    await page.getByRole('option', { name: 'client', exact: true }).click()
    await page.waitForURL(new RegExp(`key=${keyId}`))
    await settled(page)
    const ofKey = await context.request.get(`${url}/app/api/statements?month=${month}&apiKeyId=${keyId}`, { headers })
    expect(await shownBy('Deposits')).toBe(String(((await ofKey.json()) as typeof answered).totals.deposits))
    await page.getByText(', only the API key client. Days are in UTC.').waitFor()
    expect(await checkPage(page, 'statement-of-a-key')).toEqual({})
    const byKey = await savedBy(page, () => page.getByRole('button', { name: 'Export CSV' }).click())
    expect(byKey.name).toBe(`statement-${month}-${keyId}.csv`)
    await turnTo(page, `${home}/statement?token=USDC`)

    // The saved rows are those that are shown.
    const ofToken = await savedBy(page, () => page.getByRole('button', { name: 'Export CSV' }).click())
    expect(ofToken.name).toBe(`statement-${month}-USDC.csv`)
    const symbols = ofToken.text
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(',')[6])
    expect([symbols[0], ...new Set(symbols.slice(1))]).toEqual(['tokenSymbol', 'USDC'])
    await turnTo(page, `${home}/statement`)

    // Chosen days, here only today, are added up in the same way.
    const today = new Date().toISOString().slice(0, 10)
    await page.getByRole('combobox', { name: 'Period' }).click()
    await page.getByRole('option', { name: 'Chosen days' }).click()
    await page.getByText('Choose the first and the last day.').waitFor()
    for (const day of ['First day (UTC)', 'Last day (UTC)']) await page.getByLabel(day).fill(today)
    await page.getByRole('heading', { name: /^Statement, \d+ \w+ \d{4} to/, level: 1 }).waitFor()
    await settled(page)
    expect(Number(await shownBy('Deposits'))).toBeGreaterThan(0)
    expect(await checkPage(page, 'statement-of-days')).toEqual({})
    const ofDays = await savedBy(page, () => page.getByRole('button', { name: 'Export CSV' }).click())
    expect(ofDays.name).toBe(`statement-${today}_${today}.csv`)

    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: 'Export CSV' }).isVisible()).toBe(false)
    expect(await page.getByRole('table', { name: 'Deliveries' }).isVisible()).toBe(true)
    await page.emulateMedia({ media: null })

    const [execution] = await world.executionsOf('shown-1')
    await turnTo(page, `${home}/executions/${encodeURIComponent(execution!.id)}`)
    const receipt = await savedBy(page, () => page.getByRole('button', { name: 'Receipt', exact: true }).click())
    expect(receipt.name).toMatch(/^receipt-8453-0x[0-9a-f]{64}-\d+\.json$/)
    expect(JSON.parse(receipt.text)).toMatchObject({ signature: expect.stringMatching(/^0x[0-9a-f]+$/) })
    // On paper the map is as wide as the page, because nobody can scroll it there.
    const leastWidth = () => page.locator('.map').evaluate((map) => getComputedStyle(map).minWidth)
    expect(Number.parseInt(await leastWidth(), 10)).toBeGreaterThan(800)
    await page.emulateMedia({ media: 'print' })
    expect(await leastWidth()).toBe('0px')
    // Each entry of the history has its full time in place of the short one, and closed attempts are printed too.
    const [repeated] = await world.executionsOf('shown-3')
    await turnTo(page, `${home}/executions/${encodeURIComponent(repeated!.id)}`)
    const times = page.locator('.timeline .when')
    const sizes = () => times.evaluateAll((all) => all.map((time) => getComputedStyle(time).fontSize))
    const before = await sizes()
    expect(new Set(before)).toEqual(new Set(['0px']))
    await page.evaluate(() => void dispatchEvent(new Event('beforeprint')))
    await page.waitForFunction((shown) => document.querySelectorAll('.timeline .when').length > shown, before.length)
    await page.evaluate(() => void dispatchEvent(new Event('afterprint')))
    expect(complaints).toEqual([])
    await context.close()
  })
}
