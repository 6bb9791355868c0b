import { expect, test } from 'bun:test'
import { nightly } from '../../../support/depth'
import { settled, signIn, stateOf, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage } from '../page-checks'

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
    expect(await checkPage(page, 'page-that-throws')).toEqual({})

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
  })

  test('a failed wait shows what the text of its page leaves out: the focus, the fields and what is disabled', async () => {
    const { browser, url } = seen()
    const { page, context } = await visit(browser, url)
    await page.locator('[name=email]').fill('ada@a.test')
    await page.locator('[name=password]').fill('a secret')
    await page.evaluate(() => {
      document.querySelector<HTMLButtonElement>('[type=submit]')!.disabled = true
    })
    const state = await stateOf(page)
    expect(state).toMatch(/^focus: <input [^\n]*name="password"/)
    expect(state).toMatch(/^document: <html [^\n]*data-mantine-color-scheme=/m)
    expect(state).toMatch(/^fields: \S+=ada@a\.test$/m)
    expect(state).toMatch(/^disabled: Sign in$/m)
    await context.close()
  })

  nightly(
    'a page opened while the server is away says so, makes no promise, and is shown once the server is back',
    async () => {
      const { browser, url, account } = seen()
      const { page, context } = await visit(browser, url)
      await signIn(page, account.email, account.password)
      const home = new URL(page.url()).pathname.replace(/\/$/, '')
      await context.route('**/app**', (route) => route.abort('connectionrefused'))
      await page.evaluate((to) => history.pushState(null, '', to), `${home}/webhooks`)
      await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
      const shown = await page.locator('main').textContent()
      expect(shown).toContain('The server cannot be reached.')
      expect(shown).not.toMatch(/routed|No saved data|Failed to fetch/)
      expect(await checkPage(page, 'page-not-reached')).toEqual({})
      await context.unroute('**/app**')
      await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()

      // After a release with other file names the server answers, but not with this file: the tab is loaded again, once.
      let loads = 0
      page.on('load', () => {
        loads += 1
      })
      const isGone = (address: URL) => /simulate[^/]*\.js$/.test(address.pathname)
      await context.route(isGone, (route) =>
        loads === 0 ? route.fulfill({ status: 404, body: '' }) : route.continue(),
      )
      await page.evaluate((to) => history.pushState(null, '', to), `${home}/simulate`)
      await page.getByRole('heading', { name: 'Simulate', level: 1 }).waitFor()
      expect(loads).toBe(1)
      await context.close()
    },
  )
}
