import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { executionModel } from '../../../../src/adapters/mongo/collections/execution-model'
import { nightly } from '../../../support/depth'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPageTwice } from '../page-checks'

/** Actions of the person on call in an incident, and a tenant's view of it. */
export function incidentTests(seen: () => Seen): void {
  async function entered(email: string) {
    const { browser, url, account } = seen()
    const person = await visit(browser, url)
    await signIn(person.page, email, account.password)
    const home = new URL(person.page.url()).pathname.replace(/\/$/, '')
    const go = (path: string) => turnTo(person.page, `${home}${path}`)
    const strip = person.page.getByRole('region', { name: 'Current problems' })
    return { ...person, go, strip }
  }
  const chooses = async (page: Page, label: string, option: string | RegExp) => {
    await page.getByRole('dialog').getByLabel(label).first().click()
    await page.getByRole('option', { name: option }).first().click()
  }
  /** Stores two executions, as the service would, whose next attempt is a day away. */
  async function waitingForRetry(): Promise<{ ids: string[]; remove: () => Promise<unknown> }> {
    const model = executionModel(seen().world.connection)
    const { _id, keys: _, ...one } = (await model.findOne({ userId: 'shown-1' }).lean())!
    const { intent } = one.facts
    const dueAt = Date.now() + 86_400_000
    const cause = { category: 'PROVIDER_5XX', code: 'PROVIDER_FAILED', message: 'It failed.', at: Date.now() }
    const ids = [`${_id}:waits1`, `${_id}:waits2`]
    const open = { ...one, facts: { intent }, state: 'FAILED', status: 'FAILED', completedAt: null, dueAt, cause }
    await model.collection.insertMany(ids.map((_id) => ({ ...open, _id, keys: { hashes: [] } })) as never)
    return { ids, remove: () => model.deleteMany({ _id: { $in: ids } }) }
  }
  const hasFocus = (page: Page, name: string) =>
    page.waitForFunction((said) => (document.activeElement?.textContent ?? '').includes(said), name)

  nightly('a pause is shown on every page and ended there, and nothing is paused by default', async () => {
    const [operator, tenant] = await Promise.all([entered('operator@switchyard.test'), entered(seen().account.email)])
    const { page, strip, go } = operator
    const dialog = page.getByRole('dialog')
    await go('/operations')
    // With only the keyboard. The focus returns to the button.
    await page.getByRole('button', { name: 'Pause something' }).focus()
    await page.keyboard.press('Enter')
    await dialog.waitFor()
    await dialog.getByLabel('Reason').fill('The market stands still')
    expect(await dialog.getByRole('button', { name: 'Pause' }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await hasFocus(page, 'Pause something')

    const begins = async (...choices: [string, string | RegExp][]) => {
      await page.getByRole('button', { name: 'Pause something' }).click()
      for (const [label, option] of choices) await chooses(page, label, option)
      await dialog.getByLabel('Reason').fill('The market stands still')
      await dialog.getByRole('button', { name: /^Pause / }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await begins(['What', 'Everything, for all organizations'])
    await begins(['What', 'A routing provider'], ['Which', 'LI.FI'])
    await begins(['What', 'An organization'], ['Which', /sandbox \(sandbox\)/i])
    await strip.getByText('Everything has been paused').waitFor()
    await strip.getByText('LI.FI has been paused').waitFor()
    await tenant.go('/keys')
    await tenant.strip.getByText('All routing has been paused by the platform').waitFor()
    await tenant.strip.getByText('Your organization’s routing has been paused by the platform').waitFor()
    expect(await tenant.strip.textContent()).not.toContain('LI.FI')
    expect(await tenant.strip.getByRole('button').count()).toBe(0)
    const faults = {
      ...(await checkPageTwice(page, 'all-paused')),
      ...(await checkPageTwice(tenant.page, 'tenant-paused')),
    }

    for (let left = 3; left > 0; left--) {
      await strip
        .getByRole('button', { name: /^Resume/ })
        .first()
        .click()
      await dialog.getByLabel('Reason').fill('It is over')
      await dialog.getByRole('button', { name: 'Resume' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.waitForFunction((most) => document.querySelectorAll('.incidents .note').length < most, left)
    }
    await tenant.strip.locator('.note').first().waitFor({ state: 'detached' })
    expect([faults, operator.complaints, tenant.complaints]).toEqual([{}, [], []])
    await Promise.all([operator.context.close(), tenant.context.close()])
  })

  nightly(
    'an unreachable provider is shown to operators with the possible actions, and its recovery appears automatically',
    async () => {
      const { world } = seen()
      const lifi = (method: string, body?: object) =>
        fetch(`${world.devnet.controlUrl}/faults/lifi`, {
          method,
          ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        })
      const [operator, tenant] = await Promise.all([entered('operator@switchyard.test'), entered(seen().account.email)])
      const { page, strip, go } = operator
      await lifi('PUT', { fault: 'DOWN' })
      try {
        const users = ['USDC', 'USDC'].map(() => world.newUserId('waits'))
        for (const userId of users) {
          const { depositAddress } = await world.intend(userId, { to: 'arbitrum', receive: 'USDC' })
          await world.devnet.sendDeposit({
            chainKey: 'base',
            token: 'USDC',
            amountRaw: 25_000_000n,
            to: depositAddress,
          })
        }
        await strip.getByText(/LI\.FI has not responded correctly since \d\d:\d\d/).waitFor()
        await strip.getByRole('button', { name: /^Pause/ }).waitFor()
        await tenant.strip.getByText(/No routing provider has responded correctly since/).waitFor()
        expect(await tenant.strip.textContent()).not.toContain('LI.FI')
        const faults = {
          ...(await checkPageTwice(page, 'incident')),
          ...(await checkPageTwice(tenant.page, 'tenant-incident')),
        }
        await lifi('DELETE')
        await strip.locator('.note').first().waitFor({ state: 'detached' })
        await go('/operations')
        await page.getByRole('table', { name: 'Routing providers' }).getByText('Healthy').first().waitFor()
        for (const userId of users) await world.ended(userId, 1)
        expect([faults, operator.complaints, tenant.complaints]).toEqual([{}, [], []])
      } finally {
        await lifi('DELETE')
      }
      await settled(page)
      await Promise.all([operator.context.close(), tenant.context.close()])
    },
  )

  nightly(
    'the number of executions is shown before a bulk retry, for any cause, and its result stays listed',
    async () => {
      const { page, go, strip, complaints, context } = await entered('operator@switchyard.test')
      const { ids, remove } = await waitingForRetry()
      const dialog = page.getByRole('dialog')
      try {
        await go('/executions?status=FAILED')
        await page.getByText('sandbox').first().waitFor()
        // Deposits of other tests may also wait for a retry, so the number is at least two.
        const these = page.getByRole('button', { name: /^Retry these [2-9]$/ })
        await these.click()
        await dialog.getByText(/\b[2-9] executions in FAILED are waiting for the next attempt\./).waitFor()
        const faults = await checkPageTwice(page, 'retry-these')
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
        await hasFocus(page, 'Retry these')

        await go('/operations')
        const card = page.getByRole('region', { name: 'Retry or re-drive many' })
        await card.getByText(/\b[2-9] executions match\./).waitFor()
        await card.getByLabel('Reason').fill('It may be back')
        await card.getByRole('button', { name: /^Retry [2-9]$/ }).click()
        const history = page.getByRole('region', { name: 'Job history' }).getByRole('row')
        await history
          .filter({ hasText: 'It may be back' })
          .getByText(/Done: ([2-9]) of \1/)
          .waitFor()
        expect(await history.filter({ hasText: 'It may be back' }).textContent()).toContain('operator@switchyard.test')
        // The reason is empty again, so the button that waited for its answer cannot be pressed.
        await page.waitForFunction(
          () => [...document.querySelectorAll('button')].find(({ type }) => type === 'submit')?.disabled,
        )
        Object.assign(faults, await checkPageTwice(page, 'bulk-done'))
        for (const id of ids) {
          const { history } = (await seen().world.store.executions.load(id))!
          expect(history.some(({ note }) => note === 'It may be back')).toBe(true)
        }
        expect([faults, complaints, await strip.getByRole('button').count()]).toEqual([{}, [], 0])
      } finally {
        await remove()
      }
      await context.close()
    },
  )
}
