import { expect } from 'bun:test'
import { recipientOf } from '../../../../src/cli/demo/demo-deposits'
import { nightly } from '../../../support/depth'
import { until } from '../../../support/until'
import { settled, signIn, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPageTwice } from '../page-checks'

/** The fee of a key is copied into each intent when the intent is created. */
export function keyFeeTests(seen: () => Seen): void {
  nightly('a key’s changed fee applies only to new intents, and the page states that', async () => {
    const { world, browser, url, account } = seen()
    const { page, context, complaints } = await visit(browser, url)
    await signIn(page, account.email, account.password)
    const bpsOf = async (userId: string) => {
      const headers = { 'x-api-key': world.installation.keys.sponsored, 'content-type': 'application/json' }
      const found = await fetch(`${url}/api/users/${userId}/deposit-intent`, { headers })
      return ((await found.json()) as { protocolFeeBps: number }).protocolFeeBps
    }
    const intend = (userId: string) =>
      fetch(`${url}/api/deposit-intents`, {
        method: 'POST',
        headers: { 'x-api-key': world.installation.keys.sponsored, 'content-type': 'application/json' },
        body: JSON.stringify({
          userId,
          targetChainId: 42161,
          targetTokenAddress: world.devnet.chains[42161].tokens['USDC']!.address,
          targetAddress: recipientOf(userId),
        }),
      })
    expect((await intend('fee-before')).status).toBe(201)
    await page.goto(`${page.url().replace(/\/$/, '')}/keys`)
    await settled(page)
    await page.getByRole('button', { name: 'Change sponsored' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByText('Existing intents keep the fee').waitFor()
    expect(await checkPageTwice(page, 'key-edit')).toEqual({})
    await page.getByLabel('Protocol fee in basis points').fill('125')
    await page.getByLabel('Allowed addresses').fill('127.0.0.1\n::1')
    await page.getByText('1.25 %: of a deposit of 1,000 USDC you keep 12.50 USDC.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('New intents use the new settings.').waitFor()
    await page.getByRole('cell', { name: '1.25 %' }).waitFor()
    await page.getByText('from 2 ranges').waitFor()
    expect(await checkPageTwice(page, 'keys-from')).toEqual({})
    // Every process soon has the changed key.
    await until('an intent with the new fee', async (note) => {
      const userId = world.newUserId('fee-after')
      const { status } = note(await intend(userId))
      return status === 201 && note(await bpsOf(userId)) === 125
    })
    expect(await bpsOf('fee-before')).toBe(50)
    expect(complaints).toEqual([])
    await context.close()
  })
}
