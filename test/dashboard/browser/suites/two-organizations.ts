import { expect } from 'bun:test'
import { nightly } from '../../../support/depth'
import { settled, signIn, visit } from '../browser'
import type { Seen } from '../in-browser'

export function twoOrganizationsTests(seen: () => Seen): void {
  nightly('two organizations open in parallel each see their own data', async () => {
    const { browser, url, account } = seen()
    const [one, other] = await Promise.all([visit(browser, url), visit(browser, url)])
    await signIn(one.page, account.email, account.password)
    await signIn(other.page, 'other@switchyard.test', account.password)
    const of = async ({ page }: typeof one) => {
      const home = new URL(page.url()).pathname.split('/').slice(0, 3).join('/')
      await page.goto(`${url}${home}/executions`)
      await settled(page)
      return page.locator('tbody tr').count()
    }
    expect(await of(one)).toBeGreaterThan(3)
    expect(await of(other)).toBe(0)
    // The address of another organization's page leads to one's own organization.
    await other.page.goto(`${url}/app/sandbox/executions`)
    await other.page.waitForURL(/\/app\/other/)
    // An address that names a page and no organization leads to that page.
    await other.page.goto(`${url}/app/executions?status=FAILED`)
    await other.page.waitForURL(/\/app\/other\/executions\?status=FAILED$/)

    expect([...one.complaints, ...other.complaints]).toEqual([])
    await Promise.all([one.context.close(), other.context.close()])
  })
}
