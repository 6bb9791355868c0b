import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { nightly } from '../../../support/depth'
import { keepScreen, settled, signIn, visit } from '../browser'
import type { Seen } from '../in-browser'

/** Time by the page's own clock within which it warns that its data may be out of date. */
const toldMs = 5_000

/** A process that neither responds nor closes its connections is not mistaken for one without events. */
export function frozenServiceTests(seen: () => Seen): void {
  nightly(
    'a frozen service is "Not live" within five seconds, with the time, and live again when it continues',
    async () => {
      const { world, browser, url, account } = seen()
      const { page, context, complaints } = await visit(browser, url)
      await signIn(page, account.email, account.password)
      await settled(page)
      const live = page.locator('header').getByText('Live', { exact: true })
      await live.waitFor()
      const pid = world.installation.server('service').pid!
      process.kill(pid, 'SIGSTOP')
      try {
        expect(await headerAfter(page, toldMs)).toMatch(/Not live since \d/)
        await keepScreen(page, 'frozen-light')
        const { width, height } = page.viewportSize()!
        await page.setViewportSize({ width: 390, height: 844 })
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
        await keepScreen(page, 'frozen-phone')
        await page.setViewportSize({ width, height })
        await page.emulateMedia({ colorScheme: 'dark' })
        await keepScreen(page, 'frozen-dark')
      } finally {
        process.kill(pid, 'SIGCONT')
      }
      await live.waitFor()
      expect(complaints).toEqual([])
      await context.close()
    },
  )
}

/** The header after this time of the page. On a busy machine all its timers are equally late. */
const headerAfter = (page: Page, ms: number): Promise<string> =>
  page.evaluate(async (waitMs) => {
    await new Promise((done) => setTimeout(done, waitMs))
    await new Promise((done) => requestAnimationFrame(done))
    return document.querySelector('header')!.innerText
  }, ms)
