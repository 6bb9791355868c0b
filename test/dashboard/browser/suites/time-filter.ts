import { expect } from 'bun:test'
import { executionModel } from '../../../../src/adapters/mongo/collections/execution-model'
import { nightly } from '../../../support/depth'
import { settled, signIn, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPageTwice } from '../page-checks'

const copiesMany = 2_000

/** The filter by time, with old executions in the database. */
export function timeFilterTests(seen: () => Seen): void {
  nightly(
    'an empty filter result is stated, the earlier rows return on every click, and an export has every row',
    async () => {
      const { world, browser, url, account } = seen()
      const model = executionModel(world.connection)
      const { _id, keys: _, ...one } = (await model.findOne({ userId: 'shown-1' }).lean())!
      const { routeId: __, quotaKey: ___, ...facts } = one.facts
      const copies = Array.from({ length: copiesMany }, (_each, n) => ({
        ...one,
        _id: `${_id}:copy${n}`,
        userId: `copy-${n % 97}`,
        facts,
        createdAt: one.createdAt! - (n + 1) * 60_000,
        keys: { hashes: [] },
      }))
      await model.collection.insertMany(copies as never, { ordered: false })
      try {
        const { page, context } = await visit(browser, url)
        await signIn(page, account.email, account.password)
        await page.goto(`${page.url().replace(/\/$/, '')}/executions`)
        await settled(page)
        for (const _time of [1, 2, 3]) {
          await page.getByRole('button', { name: 'Retrying' }).click()
          await page.getByText('No execution matches').waitFor()
          await page.getByRole('button', { name: 'All', exact: true }).click()
          const row = page.getByRole('cell', { name: 'SUCCESS' }).first()
          await row.waitFor()
          expect(await row.isVisible()).toBe(true)
        }
        const downloads = page.waitForEvent('download')
        await page.getByRole('button', { name: 'Export', exact: true }).click()
        await page.getByRole('menuitem', { name: /CSV/ }).click()
        const saved = await Bun.file(await (await downloads).path()).text()
        expect(saved.trim().split('\r\n').length).toBeGreaterThan(copiesMany)
        await page.getByText(/^2,\d+ executions exported$/).waitFor()

        await page.getByRole('combobox', { name: 'Created' }).click()
        await page.getByRole('option', { name: 'Chosen days' }).click()
        await page.getByLabel('Last day (UTC)').fill('2020-01-31')
        await page.getByText('No execution matches').waitFor()
        expect(new URL(page.url()).search).toBe('?time=days&until=2020-01-31')
        expect(await checkPageTwice(page, 'executions-of-days')).toEqual({})

        await page.getByRole('button', { name: 'All', exact: true }).click()
        await page.getByRole('combobox', { name: 'Order' }).click()
        await page.getByRole('option', { name: 'Oldest first' }).click()
        await page.waitForURL(/order=oldest$/)
        await page
          .locator('tbody tr')
          .first()
          .getByText(`copy${copiesMany - 1}`)
          .first()
          .waitFor()
        await context.close()
      } finally {
        await model.deleteMany({ userId: /^copy-/ })
      }
    },
  )
}
