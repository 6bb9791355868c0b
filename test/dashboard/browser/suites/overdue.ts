import { expect } from 'bun:test'
import { executionModel } from '../../../../src/adapters/mongo/collections/execution-model'
import { verbs } from '../../../../src/dashboard/pages/execution/verbs'
import { overdueKinds } from '../../../../src/domain/execution/overdue'
import { nightly } from '../../../support/depth'
import { settled, signIn, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage } from '../page-checks'

const hourMs = 3_600_000

/** A missing delivery, stored as by the service. */
export function overdueTests(seen: () => Seen): void {
  nightly('overdue things come first on the operators’ page, in words, with a link, until they are over', async () => {
    const { world, browser, url, account } = seen()
    const model = executionModel(world.connection)
    const { _id, keys: _, ...one } = (await model.findOne({ userId: 'shown-1' }).lean())!
    const { routeId: __, quotaKey: ___, ...facts } = one.facts
    const id = `${_id}:late`
    const [now, state] = [Date.now(), 'RUNNING']
    const open = { state, status: state, completedAt: null, dueAt: now + 24 * hourMs }
    const sent = { spent: { ...facts.spent!, at: now - 3 * hourMs }, transactions: [{ at: now - 3 * hourMs }] }
    const late = {
      ...one,
      ...open,
      _id: id,
      facts: { ...facts, ...sent },
      keys: { hashes: [] },
      derived: { overdueBy: now - hourMs, overdueAs: 'DELIVERY' },
    }
    await model.collection.insertOne(late as never)
    try {
      const { page, context, complaints } = await visit(browser, url)
      await signIn(page, account.email, account.password)
      const ofOneRecord: string[] = []
      page.on('request', (request) => {
        if (/\/app\/api\/(executions|deposits)\/[^/?]+$/.test(request.url())) ofOneRecord.push(request.url())
      })
      await page.goto(`${page.url().replace(/\/$/, '')}/operations`)
      await settled(page)
      const row = page.getByRole('region', { name: 'Overdue' }).getByRole('row').filter({ hasText: 'delivery' })
      await row.waitFor()
      expect(await row.textContent()).toContain(overdueKinds.DELIVERY.message)
      expect(await checkPage(page, 'overdue')).toEqual({})
      // The records of all rows come together, until a row is used.
      await row.getByRole('button', { name: verbs['dead-letter'].label }).waitFor()
      expect(ofOneRecord).toEqual([])
      expect(await row.getByRole('link').getAttribute('href')).toEndWith(`/executions/${encodeURIComponent(id)}`)
      // The row has the acts of its execution.
      const dialog = page.getByRole('dialog')
      const path = `/app/api/executions/${encodeURIComponent(id)}`
      const { seq, next } = await (await page.request.get(`${url}${path}`)).json()
      await row.getByRole('button', { name: verbs['dead-letter'].label }).click()
      await dialog.getByText(next.message).waitFor()
      // The end names the state that the dialog shows, also after the record behind it was read again.
      await model.updateOne({ _id: id }, { $inc: { seq: 1 } })
      await page.waitForResponse((each) => each.url().endsWith(path))
      await dialog.getByLabel('Reason').fill('It is lost')
      const refused = page.waitForResponse((each) => each.url().endsWith('/dead-letter'))
      await dialog.getByRole('button', { name: verbs['dead-letter'].label }).click()
      expect([(await refused).status(), (await refused).request().postDataJSON().seq]).toEqual([409, seq])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      // The overview says it too, with the buttons of the execution; the navigation and the tab have the number.
      const [, count] = /^(\d+) /.exec((await page.locator('.nav .badge').textContent())!)!
      expect(await page.title()).toBe(`(${count}) Operations · Switchyard`)
      await page.getByRole('link', { name: 'Overview', exact: true }).click()
      const strip = page.getByRole('region', { name: 'Now' })
      const entry = strip.getByRole('listitem').filter({ hasText: overdueKinds.DELIVERY.message })
      await entry.getByRole('button').first().waitFor()
      expect(await entry.getByRole('link', { name: 'Open' }).getAttribute('href')).toEndWith(encodeURIComponent(id))
      expect(await page.title()).toBe(`(${count}) Overview · Switchyard`)
      expect(await checkPage(page, 'overview-overdue')).toEqual({})
      await model.deleteOne({ _id: id })
      await strip.getByText(overdueKinds.DELIVERY.message).waitFor({ state: 'detached' })
      expect(complaints).toEqual([])
      await context.close()
    } finally {
      await model.deleteOne({ _id: id })
    }
  })
}
