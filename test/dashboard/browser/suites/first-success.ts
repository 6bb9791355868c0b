import { expect, test } from 'bun:test'
import { recipientOf } from '../../../../src/cli/demo/demo-deposits'
import { until } from '../../../support/until'
import { settled, visit } from '../browser'
import type { Seen } from '../in-browser'

/** A new integrator's first steps, from nothing to a delivered deposit. */
export function firstSuccessTests(seen: () => Seen): void {
  test('a new integrator gets from sign-up to the first SUCCESS with a key shown once, live, and refused when revoked', async () => {
    const { browser, url, world } = seen()
    const { page, context, complaints } = await visit(browser, url)
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.locator('[name=name]').fill('Ada')
    await page.locator('[name=email]').fill('ada@acme.test')
    await page.locator('[name=password]').fill('a long enough sentence')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Your first organization' }).waitFor()
    await page.locator('[name=name]').fill('Acme Pay')
    await page.getByRole('button', { name: 'Create organization' }).click()
    await page.getByRole('heading', { name: 'Get started' }).waitFor()
    const home = page.url().replace(/\/start$/, '')

    // With only the keyboard.
    await page.goto(`${home}/keys`)
    await page.getByRole('button', { name: 'Create key' }).first().focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Label').waitFor()
    await page.keyboard.type('checkout')
    await page.keyboard.press('Enter')
    const secret = page.locator('[data-secret]')
    const value = ((await secret.textContent()) ?? '').trim()
    expect(value).toMatch(/^sy_live_[0-9A-Za-z]{49}$/)
    await page.getByLabel('I have stored this key').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await secret.waitFor({ state: 'detached' })
    await page.reload()
    await settled(page)
    expect(await page.content()).not.toContain(value)
    expect(await page.getByText(value.slice(0, 12)).count()).toBe(1)

    const ask = (path: string, body?: object) =>
      fetch(`${url}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { 'x-api-key': value, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
    // Step 2 gets its check mark when the intent is stored, before any deposit is seen.
    const step = (title: string) => page.getByRole('listitem').filter({ hasText: title })
    await page.goto(`${home}/start`)
    await step('Create an API key').getByText('(done)').waitFor()
    const second = step('Set where a user’s deposits go')
    expect(await second.getByText('(done)').count()).toBe(0)
    const made = await ask('/api/deposit-intents', {
      userId: 'first',
      targetChainId: 42161,
      targetTokenAddress: world.devnet.chains[42161].tokens['USDC']!.address,
      targetAddress: recipientOf('first'),
    })
    expect(made.status).toBe(201)
    const { depositAddress } = (await made.json()) as { depositAddress: `0x${string}` }
    await second.getByText('(done)').waitFor()
    expect(await second.locator('.bullet svg').count()).toBe(1)
    expect(await step('Send a deposit').getByText('(done)').count()).toBe(0)

    // The list is open during this, and nothing is reloaded.
    await page.goto(`${home}/executions`)
    await settled(page)
    await page.getByText('Live', { exact: true }).first().waitFor()
    await world.devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
    await page.getByRole('button', { name: /Show \d+ new/ }).click()
    await page.getByRole('cell', { name: 'SUCCESS' }).waitFor()
    await page.goto(`${home}/start`)
    await page.getByText('first’s deposit arrived').click()
    await page.getByText('Delivered.').first().waitFor()

    await page.goto(`${home}/keys`)
    await page.getByRole('button', { name: 'Change checkout' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByLabel('Label of the key').fill('checkout')
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('Requests with this key now get 401').waitFor()
    await until('a refusal of the revoked key', async (note) => note(await ask('/api/executions')).status === 401)
    expect(complaints).toEqual([])
    await context.close()
  }, 600_000)
}
