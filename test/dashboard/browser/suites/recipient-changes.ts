import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { recipientOf } from '../../../../src/cli/demo/demo-deposits'
import { nightly } from '../../../support/depth'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage } from '../page-checks'

/** Sends a request as the page does. */
const post = (page: Page, path: string, body: object): Promise<number> =>
  page.evaluate(
    async ([at, sent]) => {
      const { organizations } = await (await fetch('/app/api/me')).json()
      const headers = { 'content-type': 'application/json', 'x-organization-id': organizations[0].id }
      return (await fetch(`/app/api${at}`, { method: 'POST', headers, body: sent! })).status
    },
    [path, JSON.stringify(body)] as const,
  )

export function recipientChangeTests(seen: () => Seen): void {
  nightly(
    'an owner requires a second member’s approval of recipient changes, sees a pending one and withdraws it',
    async () => {
      const { browser, url, account, world } = seen()
      const { page, context, complaints } = await visit(browser, url)
      await signIn(page, 'other@switchyard.test', account.password)
      const home = new URL(page.url()).pathname.replace(/\/$/, '')
      const key = { label: 'client', role: 'CLIENT', protocolFeeBps: 0, sponsoredGas: false }
      expect(await post(page, '/keys', key)).toBe(201)
      const { targetChainId, targetTokenAddress } = await world.intend(world.newUserId('held'), {
        ...{ to: 'arbitrum', receive: 'USDC' },
      })
      const intent = { userId: 'held', targetChainId, targetTokenAddress }
      const intend = (who: string) => post(page, '/deposit-intents', { ...intent, targetAddress: recipientOf(who) })
      expect(await intend('first')).toBe(201)

      await turnTo(page, `${home}/recipient-changes`)
      await page.getByText('No change is waiting').waitFor()
      await page.getByRole('combobox', { name: 'Safeguard' }).click()
      await page.getByRole('option', { name: 'A delay' }).click()
      await page.getByLabel('Hours').waitFor()
      expect(await checkPage(page, 'recipient-hold')).toEqual({})
      await page.getByRole('combobox', { name: 'Safeguard' }).click()
      await page.getByRole('option', { name: 'A second member approves' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved.').first().waitFor()

      expect(await intend('second')).toBe(409)
      await page.reload()
      await settled(page)
      await page.getByText('once a second member approves it').waitFor()
      await page.getByText('Until then:').waitFor()
      // The key's creator counts as the requester and approves nothing.
      expect(await page.getByRole('button', { name: 'Approve the recipient change for held' }).count()).toBe(0)
      expect(await checkPage(page, 'recipient-change-waits')).toEqual({})
      await page.getByRole('button', { name: 'Withdraw the recipient change for held' }).click()
      await page.getByText('No change is waiting').waitFor()
      expect(complaints).toEqual([])
      await context.close()
    },
  )
}
