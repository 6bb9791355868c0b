import { expect } from 'bun:test'
import { nightly } from '../../../support/depth'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'

/** The platform's pages list the deposits of all organizations, each with its organization's name. */
export function tenantNameTests(seen: () => Seen): void {
  nightly('every deposit on the platform’s pages shows its organization, and a tenant’s own pages do not', async () => {
    const { world, browser, url, account } = seen()
    const [first] = await world.executionsOf('shown-1')
    const { name } = (await world.store.organizations.load(first!.organizationId))!
    const id = encodeURIComponent(first!.id)
    const places = ['/', '/executions?user=shown-1', '/deposits?q=shown-1', `/executions/${id}`, `/deposits/${id}`]

    const operator = await visit(browser, url)
    await signIn(operator.page, 'operator@switchyard.test', account.password)
    const home = new URL(operator.page.url()).pathname.replace(/\/$/, '')
    const named = operator.page.locator('main').getByText(name, { exact: true }).first()
    for (const place of places) {
      await turnTo(operator.page, `${home}${place}`)
      await named.waitFor().catch(() => expect(`${place} names ${name}`).toBe('so'))
      expect(await operator.page.locator('main').getByText(first!.organizationId).count(), place).toBe(0)
    }
    await operator.page.keyboard.press('Control+k')
    await operator.page.getByRole('combobox').last().fill('shown-1')
    await operator.page
      .getByRole('option', { name: `shown-1 · ${name}` })
      .first()
      .waitFor()

    const tenant = await visit(browser, url)
    await signIn(tenant.page, account.email, account.password)
    const own = new URL(tenant.page.url()).pathname.replace(/\/$/, '')
    await turnTo(tenant.page, `${own}/executions?user=shown-1`)
    await settled(tenant.page)
    expect(await tenant.page.locator('tbody').getByText(name, { exact: true }).count()).toBe(0)
    expect([...operator.complaints, ...tenant.complaints]).toEqual([])
    await Promise.all([operator.context.close(), tenant.context.close()])
  })
}
