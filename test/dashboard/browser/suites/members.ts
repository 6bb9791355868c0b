import { expect } from 'bun:test'
import { invite } from '../../../../src/cli/installation/invite'
import { nightly } from '../../../support/depth'
import { settled, signIn, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPageTwice } from '../page-checks'

/** Changing what a member may do, and removing a member. */
export function memberTests(seen: () => Seen): void {
  nightly(
    'a role that decides over members is confirmed first, a lower one is not, and a removal is announced',
    async () => {
      const { world, browser, url, account } = seen()
      const email = 'promoted@invited.test'
      const { link } = await invite(world.store, { organization: 'sandbox', email, role: 'member', origin: url })
      const invited = await visit(browser, url)
      await invited.page.goto(link)
      await invited.page.getByRole('button', { name: 'Create an account' }).click()
      await invited.page.locator('[name=name]').fill('Pat')
      await invited.page.locator('[name=password]').fill('a long enough sentence')
      await invited.page.getByRole('button', { name: 'Create account' }).click()
      await invited.page.getByRole('button', { name: 'Join sandbox' }).click()
      await invited.page.waitForURL(/\/app\/sandbox/)
      await invited.context.close()

      const { page, context, complaints } = await visit(browser, url)
      await signIn(page, account.email, account.password)
      await page.goto(`${url}/app/sandbox/members`)
      await settled(page)
      const role = page.getByRole('combobox', { name: 'Role of Pat' })
      const choose = async (option: string) => {
        await role.click()
        await page.getByRole('option', { name: option }).click()
      }
      const asked = page.getByRole('dialog', { name: 'Change the role of Pat' })
      await choose('Admin')
      await asked.waitFor()
      expect(await checkPageTwice(page, 'member-role')).toEqual({})
      await page.keyboard.press('Escape')
      await asked.waitFor({ state: 'detached' })
      expect(await role.inputValue()).toContain('Member')
      await choose('Admin')
      await asked.getByRole('button', { name: 'Change to Admin' }).click()
      await page.getByText('The role has been changed.').waitFor()
      await page.waitForFunction(() =>
        document.querySelector<HTMLInputElement>('[aria-label="Role of Pat"]')!.value.startsWith('Admin'),
      )

      await choose('Operator')
      await page.waitForFunction(() =>
        document.querySelector<HTMLInputElement>('[aria-label="Role of Pat"]')!.value.startsWith('Operator'),
      )
      expect(await page.getByRole('dialog').count()).toBe(0)

      await page.getByRole('button', { name: 'Remove Pat' }).click()
      await page.getByLabel('E-mail of the member').fill(email)
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await page.locator('[aria-live=polite]').getByText('Pat has been removed.').waitFor()
      expect(complaints).toEqual([])
      await context.close()
    },
  )
}
