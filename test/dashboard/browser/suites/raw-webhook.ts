import { expect } from 'bun:test'
import { nightly } from '../../../support/depth'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage } from '../page-checks'

/** The pages of a deposit and of its execution show the webhook that reported it, or that there was none. */
export function rawWebhookTests(seen: () => Seen): void {
  nightly(
    'a deposit’s raw webhook can be opened and copied, and a scanned deposit shows that it had none',
    async () => {
      const { world, browser, url, account } = seen()
      const { page, context, complaints } = await visit(browser, url)
      await signIn(page, account.email, account.password)
      const home = new URL(page.url()).pathname.replace(/\/$/, '')
      const webhooks = (init: RequestInit) => fetch(`${world.devnet.controlUrl}/faults/webhooks`, init)
      const deposit = async (token = 'USDC', amountRaw = 25_000_000n) => {
        const userId = world.newUserId('told')
        const { depositAddress: to } = await world.intend(userId, { to: 'arbitrum', receive: 'USDC' })
        await world.devnet.sendDeposit({ chainKey: 'base', token, amountRaw, to })
        const [ended] = await world.ended(userId, 1)
        return ended!
      }
      const told = await deposit()
      const measured = await deposit('native', 10n ** 16n)
      await webhooks({ method: 'PUT', body: JSON.stringify({ fault: 'DROP' }) })
      const found = await deposit().finally(() => webhooks({ method: 'DELETE' }))

      const card = page.getByRole('region', { name: 'Raw webhook' })
      const faults: Record<string, string[]> = {}
      for (const [kind, title] of [
        ['executions', 'execution-webhook'],
        ['deposits', 'deposit-webhook'],
      ] as const) {
        await turnTo(page, `${home}/${kind}/${encodeURIComponent(told.id)}`)
        await card.getByText('Alchemy’s webhook for this transfer arrived at').waitFor()
        expect(await card.locator('pre').count()).toBe(0)
        await card.getByRole('button', { name: 'Show webhook' }).click()
        const said = JSON.parse((await card.locator('pre').textContent())!)
        expect(said.event.activity).toHaveLength(1)
        expect(said.event.activity[0]).toMatchObject({ hash: told.deposit.txHash, asset: 'USDC', category: 'token' })
        expect(await card.getByRole('button', { name: 'Copy webhook' }).count()).toBe(1)
        Object.assign(faults, await checkPage(page, title))
      }
      await turnTo(page, `${home}/deposits/${encodeURIComponent(measured.id)}`)
      await card.getByText('Alchemy’s webhooks reported a payment after the previous balance measurement').waitFor()
      await card.getByRole('button', { name: 'Show webhook' }).click()
      await card.getByText('"category": "external"').waitFor()
      Object.assign(faults, await checkPage(page, 'deposit-coin-webhook'))
      await turnTo(page, `${home}/deposits/${encodeURIComponent(found.id)}`)
      await card.getByText('No webhook announced this deposit; our own scanner found it.').waitFor()
      expect(await card.getByRole('button').count()).toBe(0)
      Object.assign(faults, await checkPage(page, 'deposit-without-webhook'))
      await settled(page)
      expect([faults, complaints]).toEqual([{}, []])
      await context.close()
    },
  )
}
