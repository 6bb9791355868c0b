import { expect, test } from 'bun:test'
import type { CDPSession } from 'playwright-core'
import { settled, signIn } from '../browser'
import type { Seen } from '../in-browser'

/** A fast 3G connection: 1.6 Mbit/s down, and a round trip of 150 ms. */
const fast3g = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 }
const bytesMax = 200 * 1024

/** What the first visit loads, with an empty cache. */
export function firstLoadTests(seen: () => Seen): void {
  test('the first load is below 200 KiB, and painted before its scripts are there, signed in or not', async () => {
    const { browser, url, account } = seen()
    const context = await browser.newContext()
    const opened = await context.newPage()
    await opened.goto(`${url}/app`)
    const isOut = await measured()
    await signIn(opened, account.email, account.password)
    const isIn = await measured()
    for (const { bytes, paintMs, scriptsMs, first } of [isOut, isIn]) {
      expect(bytes).toBeLessThan(bytesMax)
      expect(bytes).toBeGreaterThan(50_000)
      expect(paintMs).toBeLessThan(scriptsMs)
      expect(first).toContain('Switchyard')
    }
    await context.close()

    async function measured() {
      const page = await context.newPage()
      const session: CDPSession = await context.newCDPSession(page)
      await session.send('Network.enable')
      await session.send('Network.setCacheDisabled', { cacheDisabled: true })
      await session.send('Network.emulateNetworkConditions', fast3g)
      let bytes = 0
      session.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength
      })
      await page.goto(`${url}/app`, { waitUntil: 'commit' })
      const first = await page.locator('#root').textContent()
      await settled(page)
      const times = await page.evaluate(() => ({
        paintMs: performance.getEntriesByName('first-contentful-paint')[0]!.startTime,
        scriptsMs: Math.max(
          ...(performance.getEntriesByType('resource') as PerformanceResourceTiming[])
            .filter(({ name }) => name.endsWith('.js'))
            .map(({ responseEnd }) => responseEnd),
        ),
      }))
      await page.close()
      return { bytes, ...times, first }
    }
  }, 600_000)
}
