import { expect } from 'bun:test'
import { statusNames } from '../../../../src/domain/execution/status'
import { nightly } from '../../../support/depth'
import { settled, signIn, visit } from '../browser'
import type { Seen } from '../in-browser'

const widths = [320, 390, 769, 1024, 1280, 1366, 1440, 1536, 1920]

/** The list of executions with every status, and with long amounts and users. */
export function executionsWidthTests(seen: () => Seen): void {
  nightly(
    'no part of the executions table is cut at any usual width, and a row is in sight, whatever the status of its rows',
    async () => {
      const { browser, url, account } = seen()
      const { page, context } = await visit(browser, url)
      await signIn(page, account.email, account.password)
      const home = new URL(page.url()).pathname.replace(/\/$/, '')
      await page.route('**/app/api/executions?*', async (route) => {
        const response = await route.fetch()
        const rows = (await response.json()) as object[]
        const changed = statusNames.map((status, n) => ({
          ...rows[n % rows.length],
          ...{ id: `8453:0x${String(n).padStart(64, '0')}:0`, status, amountIn: '123456789012345' },
          ...{ userId: 'a-customer-with-a-long-name@example.com' },
        }))
        await route.fulfill({ response, json: changed })
      })
      await page.goto(`${url}${home}/executions`)
      await settled(page)
      await page.getByText('FAILED_INSUFFICIENT_AFTER_FEES', { exact: true }).waitFor()
      const cut: Record<number, number> = {}
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        const beyond = await page.evaluate(() => {
          const box = document.querySelector('.table-box')!
          return Math.max(
            box.scrollWidth - box.clientWidth,
            document.documentElement.scrollWidth - document.documentElement.clientWidth,
          )
        })
        if (beyond > 1) cut[width] = beyond
      }
      expect(cut).toEqual({})
      await page.setViewportSize({ width: 390, height: 844 })
      const top = () => document.querySelector('tbody tr')!.getBoundingClientRect().top
      expect(await page.evaluate(top)).toBeLessThan(844)
      await page.getByRole('button', { name: 'Filters' }).click()
      await page.getByRole('combobox', { name: 'Order' }).waitFor()
      await context.close()
    },
  )
}
