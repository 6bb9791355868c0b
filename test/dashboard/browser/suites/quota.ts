import { expect } from 'bun:test'
import { recipientOf } from '../../../../src/cli/demo/demo-deposits'
import { nightly } from '../../../support/depth'
import { until } from '../../../support/until'
import { settled, signIn, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPageTwice } from '../page-checks'

/** An organization whose quota is exhausted, and one close to its limit. */
export function quotaTests(seen: () => Seen): void {
  nightly('an exhausted quota is shown on the first page, and each deposit shows its wait and the action', async () => {
    const { world, browser, url, account } = seen()
    const { page, context, complaints } = await visit(browser, url)
    await signIn(page, 'quota@switchyard.test', account.password)
    await page.getByText('The month’s executions are used up').waitFor()
    const home = page.url().replace(/\/$/, '')
    // New users are refused while the quota is exhausted, so this one is created before.
    await limit(world, 'org_sandbox-quota', 1)
    const intend = (userId: string) =>
      fetch(`${url}/api/deposit-intents`, {
        method: 'POST',
        headers: { 'x-api-key': world.installation.keys.quota, 'content-type': 'application/json' },
        body: JSON.stringify({
          userId,
          targetChainId: 42161,
          targetTokenAddress: world.devnet.chains[42161].tokens['USDC']!.address,
          targetAddress: recipientOf('over'),
        }),
      })
    const made = await intend('over')
    expect(made.status).toBe(201)
    await limit(world, 'org_sandbox-quota', 0)
    // The service caches a plan briefly. The deposit comes when the new limit applies.
    let users = 0
    await until('a refusal of a new user', async (note) => note(await intend(`later-${users++}`)).status !== 201)
    const { depositAddress } = (await made.json()) as { depositAddress: `0x${string}` }
    await world.devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
    // The list is not reloaded. The row arrives by the event stream.
    await page.getByText('over', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^QUOTA_EXCEEDED 1\b/ }).waitFor()
    expect(await checkPageTwice(page, 'over-quota')).toEqual({})
    await page.getByText('over', { exact: true }).click()
    await page.getByText('QUOTA_EXCEEDED').first().waitFor()
    expect(await checkPageTwice(page, 'over-quota-execution')).toEqual({})
    await page.goto(`${home}/usage`)
    await settled(page)
    await page.getByText('The month’s executions are used up').waitFor()
    expect(await checkPageTwice(page, 'over-quota-usage')).toEqual({})
    expect(complaints).toEqual([])
    await context.close()
  })

  nightly('four fifths of the quota are shown before it is exhausted', async () => {
    const { world, browser, url, account } = seen()
    const { page, context } = await visit(browser, url)
    await signIn(page, account.email, account.password)
    const answer = await page.evaluate(async () => (await fetch('/app/api/usage')).json())
    await limit(world, 'org_sandbox', Math.floor(answer.quota.used * 1.25))
    try {
      await page.reload()
      await page.getByText('Most of the month’s executions are used').waitFor()
      await page.goto(`${page.url().replace(/\/$/, '')}/usage`)
      expect(await checkPageTwice(page, 'quota-warning')).toEqual({})
    } finally {
      await limit(world, 'org_sandbox', null)
    }
    await context.close()
  })
}

/** Changes the stored plan, which the service reads again within a moment. */
async function limit({ store }: Seen['world'], id: string, monthlyExecutions: number | null): Promise<void> {
  const stored = (await store.organizations.load(id))!
  await store.organizations.save({ ...stored, customPlan: { ...stored.customPlan!, monthlyExecutions } })
}
