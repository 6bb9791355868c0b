import { expect, test } from 'bun:test'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { look } from '../looks'

/** A page that cannot be rendered breaks nothing else. */
export function brokenPageTests(seen: () => Seen): void {
  test('a page that throws shows a plain message with a way back, the frame stays, and a reload repairs it', async () => {
    const { browser, url, account } = seen()
    const { page, context } = await visit(browser, url)
    const uncaught: string[] = []
    page.on('pageerror', ({ message }) => uncaught.push(message))
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    await page.route('**/app/api/keys', (route) => route.fulfill({ json: { of: 'another shape' } }))
    await turnTo(page, `${home}/keys`)
    const broken = page.getByRole('heading', { name: 'This page cannot be shown' })
    await broken.waitFor()
    expect(await look(page, 'page-that-throws')).toEqual({})

    // The frame and every other page still work.
    await page.getByRole('link', { name: 'Go to the overview' }).click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API keys' }).click()
    await broken.waitFor()

    await page.unroute('**/app/api/keys')
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
    await settled(page)
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBeGreaterThan(0)
    expect(uncaught).toEqual([])
    await context.close()
  }, 600_000)
}
