import { expect, test } from 'bun:test'
import type { CDPSession, Page } from 'playwright-core'
import { patienceMs, settled, signIn } from '../browser'
import type { Seen } from '../in-browser'

/** Also for the first visitor after a start, before the smaller copies are made. */
const bytesMax = 190_000

/** The first visit's load, with an empty cache. */
export function firstLoadTests(seen: () => Seen): void {
  test('the first load is below 190 kB and painted before its scripts arrive, signed in or not', async () => {
    const { browser, url, account } = seen()
    const context = await browser.newContext()
    context.setDefaultTimeout(patienceMs)
    const opened = await context.newPage()
    await opened.goto(`${url}/app`)
    const isOut = await measured()
    await signIn(opened, account.email, account.password)
    const isIn = await measured()
    for (const { bytes, first } of [isOut, isIn]) {
      expect(bytes).toBeLessThan(bytesMax)
      expect(bytes).toBeGreaterThan(50_000)
      expect(first).toContain('Switchyard')
    }
    console.log(`The overview loads ${isIn.bytes} bytes`)
    await context.close()

    async function measured() {
      const page = await context.newPage()
      const session: CDPSession = await context.newCDPSession(page)
      await session.send('Network.enable')
      await session.send('Network.setCacheDisabled', { cacheDisabled: true })
      let bytes = 0
      session.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength
      })
      // No script except the one for colours loads before the first paint, on a network or machine of any speed.
      const isPainted = Promise.withResolvers<void>()
      await page.route('**/*.js', async (route) => {
        if (!route.request().url().includes('/scheme-')) await isPainted.promise
        await route.continue()
      })
      await page.goto(`${url}/app`, { waitUntil: 'commit' })
      await painted(page)
      const first = await page.locator('#root').textContent()
      isPainted.resolve()
      await settled(page)
      await page.close()
      return { bytes, first }
    }
  }, 600_000)
}

const painted = (page: Page) =>
  page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
