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
    for (const { bytes, largest, first } of [isOut, isIn]) {
      expect(bytes, largest).toBeLessThan(bytesMax)
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
      // A page that loads slowly polls meanwhile. The first answer of each path is what it loads.
      const paths = new Map<string, string>()
      const bytesOf = new Map<string, number>()
      session.on('Network.requestWillBeSent', ({ requestId, request }) => {
        paths.set(requestId, new URL(request.url).pathname)
      })
      session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        const path = paths.get(requestId) ?? requestId
        if (!bytesOf.has(path)) bytesOf.set(path, encodedDataLength)
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
      const sizes = [...bytesOf].toSorted(([, one], [, other]) => other - one)
      const bytes = sizes.reduce((sum, [, size]) => sum + size, 0)
      return {
        bytes,
        largest: sizes
          .slice(0, 12)
          .map((each) => each.join(' '))
          .join(', '),
        first,
      }
    }
  })
}

const painted = (page: Page) =>
  page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
