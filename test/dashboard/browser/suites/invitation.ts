import { expect, test } from 'bun:test'
import { invite } from '../../../../src/cli/installation/invite'
import { settled, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPageTwice } from '../page-checks'

/** A new person's view after opening an invitation link. */
export function invitationTests(seen: () => Seen): void {
  test('an invited person sees the organization, role and address, creates an account for that address, and joins', async () => {
    const { world, browser, url } = seen()
    const email = 'grace@invited.test'
    const invited = { organization: 'other', email, role: 'operator', origin: url } as const
    const { link } = await invite(world.store, invited)
    const { page, context, complaints } = await visit(browser, url)
    await page.goto(link)
    await page.getByText('You are invited to join other as operator').waitFor()
    await page.getByText(`on the Switchyard at ${new URL(url).host}`).waitFor()
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.getByText('You are invited to join other as operator').waitFor()
    expect(await page.locator('[name=email]').inputValue()).toBe(email)
    await page.locator('[name=name]').fill('Grace')
    await page.locator('[name=password]').fill('a long enough sentence')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Join other' }).waitFor()
    await page.getByText(`invites ${email} as operator, on the Switchyard at ${new URL(url).host}`).waitFor()
    expect(await checkPageTwice(page, 'invitation-signed-in')).toEqual({})
    await page.getByRole('button', { name: 'Join other' }).click()
    await page.waitForURL(/\/app\/other/)
    await settled(page)

    await page.goto(link)
    await page.getByRole('heading', { name: 'This invitation has ended' }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })
}
