import { expect } from 'bun:test'
import { authCollections } from '../../../../src/adapters/auth/auth-indexes'
import { invite } from '../../../../src/cli/installation/invite'
import { newOrganization } from '../../../../src/http/dashboard/new-tenants'
import { nightly } from '../../../support/depth'
import { codesOf, totpOf } from '../../../support/totp'
import { settled, signIn, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPageTwice } from '../page-checks'

/** A member of an organization that requires a second step, from the invitation to a key. */
export function secondStepTests(seen: () => Seen): void {
  nightly('a member without a second step must set one up, and proves it again before creating a key', async () => {
    const { world, browser, url } = seen()
    const organization = newOrganization({ name: 'Careful', slug: 'careful' }, Date.now())
    await world.store.organizations.save({ ...organization, demandsSecondStep: true })
    const email = 'second@step.test'
    const { link } = await invite(world.store, { organization: 'careful', email, role: 'owner', origin: url })
    const { page, context } = await visit(browser, url)
    await page.goto(link)
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.locator('[name=name]').fill('Ada')
    await page.locator('[name=password]').fill('a long enough sentence')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('button', { name: 'Join Careful' }).click()
    await page.getByRole('heading', { name: 'Set up a second step' }).waitFor()
    expect(await checkPageTwice(page, 'second-step-first')).toEqual({})
    await page.locator('[name=password]').fill('a long enough sentence')
    await page.getByRole('button', { name: 'Turn on' }).click()
    const secret = (await page.locator('[data-totp]').textContent())!
    expect(await checkPageTwice(page, 'second-step-setup')).toEqual({})
    await page.locator('[name=code]').fill(totpOf(secret))
    await page.getByLabel('I have stored these codes').check()
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('link', { name: 'Members' }).first().click()
    await page.getByRole('switch', { name: 'Require a second step' }).waitFor()
    await settled(page)
    expect(await checkPageTwice(page, 'second-step-demand')).toEqual({})

    // A test cannot wait a quarter of an hour, so the first response is the one after that time.
    const refusal = { statusCode: 403, message: 'Prove your second step again', error: 'Forbidden' }
    const headers = { 'x-error-code': 'SECOND_STEP_NEEDED' }
    const refuse = { status: 403, headers, json: refusal }
    await page.route('**/app/api/organization/second-step', (route) => route.fulfill(refuse), { times: 1 })
    await page.getByRole('switch', { name: 'Require a second step' }).press(' ')
    await page.getByRole('dialog', { name: 'Second step' }).waitFor()
    expect(await checkPageTwice(page, 'second-step-again')).toEqual({})
    await page.getByLabel('Code').fill(codesOf(secret)[1])
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The second step is optional again.').waitFor()

    await page.getByRole('link', { name: 'Your account' }).click()
    await page.getByText('Unused backup codes: 10').waitFor()
    await page.getByRole('button', { name: 'Make new codes' }).click()
    const asked = page.getByRole('dialog', { name: 'Make new backup codes' })
    expect(await checkPageTwice(page, 'backup-codes-asked')).toEqual({})
    await asked.locator('[name=password]').fill('not the password')
    await asked.getByRole('button', { name: 'Make new codes' }).click()
    await asked.getByText('The password is wrong.').waitFor()
    await asked.locator('[name=password]').fill('a long enough sentence')
    await asked.getByRole('button', { name: 'Make new codes' }).click()
    const shown = page.getByRole('dialog', { name: 'Store your new backup codes' })
    await shown.waitFor()
    const [backup] = await shown.locator('.codes span').allTextContents()
    expect(await checkPageTwice(page, 'backup-codes-made')).toEqual({})
    await shown.getByLabel('I have stored these codes').check()
    await shown.getByRole('button', { name: 'Done' }).click()
    await shown.waitFor({ state: 'detached' })

    // A wrong code is refused in words, and a backup code opens the door once.
    await context.clearCookies()
    await page.goto(`${url}/app`)
    await page.locator('[name=email]').fill(email)
    await page.locator('[name=password]').fill('a long enough sentence')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.locator('[name=code]').fill('000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The code is wrong or out of date.').waitFor()
    await page.getByRole('button', { name: 'Use a backup code' }).click()
    await page.locator('[name=code]').fill(backup!)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('link', { name: 'Your account' }).click()
    await page.getByText('Unused backup codes: 9').waitFor()
    await context.close()
  })

  nightly(
    'a member without a second step signs in again before creating a key, without losing the form’s values',
    async () => {
      const { world, browser, url, account } = seen()
      const { page, context, complaints } = await visit(browser, url)
      await signIn(page, account.email, account.password)
      await page.goto(`${page.url().replace(/\/$/, '')}/keys`)
      await settled(page)
      const sessions = world.connection.db!.collection(authCollections.session)
      await sessions.updateMany({}, { $set: { createdAt: new Date(Date.now() - 16 * 60_000) } })
      await page.getByRole('button', { name: 'Create key' }).first().click()
      await page.getByLabel('Label').fill('after a while')
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
      const again = page.getByRole('dialog', { name: 'Sign in again' })
      await again.waitFor()
      expect(await checkPageTwice(page, 'sign-in-again')).toEqual({})
      await again.locator('[name=password]').fill('not the password')
      await again.getByRole('button', { name: 'Continue' }).click()
      await again.getByText('The e-mail or the password is wrong.').waitFor()
      await again.locator('[name=password]').fill(account.password)
      await again.getByRole('button', { name: 'Continue' }).click()
      await page.locator('[data-secret]').waitFor()
      await page.getByLabel('I have stored this key').check()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('cell', { name: 'after a while' }).first().waitFor()
      expect(complaints).toEqual([])
      await context.close()
    },
  )
}
