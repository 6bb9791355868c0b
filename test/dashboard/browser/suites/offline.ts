import { expect, test } from 'bun:test'
import type { Me } from '../../../../src/dashboard/data/types'
import { keepScreen, settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'

/** A browser that says it has no network. */
export function offlineTests(seen: () => Seen): void {
  test('without a network an action fails and is never sent later, and the pages say what they could not read', async () => {
    const { browser, url, account, world } = seen()
    const { page, context, complaints } = await visit(browser, url)
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    const [one] = await world.executionsOf('shown-1')
    const [other] = await world.executionsOf('shown-2')
    const me = await (await context.request.get(`${url}/app/api/me`)).json()
    const { id } = (me as Me).organizations.find(({ slug }) => home.endsWith(slug))!
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PUT' && request.url().includes('/operator/pauses/')) sent.push(request.url())
    })
    // The file of this page is loaded before the network breaks.
    await turnTo(page, `${home}/executions/${encodeURIComponent(one!.id)}`)
    await turnTo(page, `${home}/operations`)
    await page.getByRole('button', { name: 'Pause this organization' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('The network breaks before this is sent')

    await context.setOffline(true)
    await dialog.getByRole('button', { name: /^Pause / }).click()
    await dialog.getByRole('alert').getByText('This may not have been done.').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('main').getByText('Shown below is the data of').first().waitFor()
    await turnTo(page, `${home}/executions/${encodeURIComponent(other!.id)}`)
    const failed = page.locator('main').getByText('The server cannot be reached.')
    await failed.waitFor()
    expect(await page.locator('main .page').getByRole('button', { name: 'Try again' }).count()).toBe(1)
    // A dialog whose file was never loaded says so, and a narrow header keeps the words of its mark.
    await page.keyboard.press('Control+k')
    await page.getByText('The server cannot be reached. This opens once it responds.').waitFor()
    await page.setViewportSize({ width: 320, height: 568 })
    const mark = page.locator('header .pill.t-warn[data-live]')
    expect(await mark.evaluate((pill) => Number.parseFloat(getComputedStyle(pill).fontSize))).toBeGreaterThan(11)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    await keepScreen(page, 'offline-320')
    await page.setViewportSize({ width: 1440, height: 900 })

    await context.setOffline(false)
    await page.getByRole('dialog', { name: 'Find' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: 'Current state' }).waitFor()
    await settled(page)
    expect([await failed.count(), sent.length]).toEqual([0, 1])
    const headers = { 'x-organization-id': id }
    expect(await (await context.request.get(`${url}/app/api/operator/pauses`, { headers })).json()).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
  })
}
