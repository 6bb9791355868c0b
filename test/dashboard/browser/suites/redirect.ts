import { expect } from 'bun:test'
import { recipientOf } from '../../../../src/cli/demo/demo-deposits'
import { nightly } from '../../../support/depth'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage, checkPageTwice } from '../page-checks'

/** A redirect of a user's money is confirmed first, with the current and the new recipient. */
export function redirectTests(seen: () => Seen): void {
  nightly(
    'another target for a user with an intent is stored only after confirmation, and is in the history',
    async () => {
      const { world, browser, url, account } = seen()
      const userId = world.newUserId('redirected')
      const first = await world.intend(userId, { to: 'arbitrum', receive: 'USDC' })
      const { page, context, complaints } = await visit(browser, url)
      await signIn(page, account.email, account.password)
      const home = new URL(page.url()).pathname.replace(/\/$/, '')
      await turnTo(page, `${home}/start`)
      await page.locator('li.step.is-done', { hasText: 'Set where a user’s deposits go' }).waitFor()
      await page.getByText('Store an intent for another user').click()
      await page.locator('details').getByLabel('User', { exact: true }).fill(userId)
      const other = recipientOf('somebody else')
      await page.getByLabel('Recipient').fill(other)
      await page.getByRole('combobox', { name: 'Destination chain' }).click()
      await page.getByRole('option', { name: 'Base', exact: true }).click()
      await page.getByRole('combobox', { name: 'Destination token' }).click()
      await page.getByRole('option', { name: 'USDC', exact: true }).click()
      const stored = () => world.api.findIntent(userId)

      const submit = () => page.getByRole('button', { name: 'Store the intent' }).click()
      await submit()
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      expect(await dialog.locator('[data-redirect=before]').innerText()).toContain(first.targetAddress)
      expect(await dialog.locator('[data-redirect=after]').innerText()).toContain(other)
      expect(await checkPageTwice(page, 'redirect')).toEqual({})
      await dialog.getByRole('button', { name: 'Keep the current one' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect((await stored())!.targetAddress).toBe(first.targetAddress)

      await submit()
      await dialog.getByRole('button', { name: 'Redirect the deposits' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Address and QR code' }).first().click()
      await page.locator('[data-history]').waitFor()
      await settled(page)
      expect((await stored())!.targetAddress).toBe(other)
      const history = await page.locator('[data-history] li').allInnerTexts()
      expect(history.map((text) => [text.includes(other), text.includes(first.targetAddress)])).toEqual([
        [true, false],
        [false, true],
      ])
      expect([await checkPage(page, 'address-history'), complaints]).toEqual([{}, []])
      await context.close()
    },
  )
}
