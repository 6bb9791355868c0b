import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { hashOf } from '../../../support/deposits'
import { nightly } from '../../../support/depth'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage, checkPageTwice } from '../page-checks'

const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement
    return at === document.body ? 'body' : (at?.getAttribute('aria-label') ?? at?.textContent ?? at?.id ?? '')
  })

/** A pasted hash, address or explorer link leads to the deposit, at every stage of it. */
export function hashSearchTests(seen: () => Seen): void {
  nightly(
    'a pasted hash is unseen, pending, a confirming deposit and then an execution, all without a reload',
    async () => {
      const { world, browser, url, account } = seen()
      const { page, context, complaints } = await visit(browser, url)
      await signIn(page, account.email, account.password)
      const home = new URL(page.url()).pathname.replace(/\/$/, '')
      const mining = (isOn: boolean) =>
        fetch(`${world.devnet.controlUrl}/chains/avalanche`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ mining: isOn }),
        })
      const userId = world.newUserId('seen')
      const { depositAddress } = await world.intend(userId, { to: 'arbitrum', receive: 'USDC' })
      await mining(false)
      try {
        const hash = await world.devnet.sendDeposit({
          chainKey: 'avalanche',
          token: 'USDC',
          amountRaw: 31_000_000n,
          to: depositAddress as `0x${string}`,
        })
        const faults: Record<string, string[]> = {}
        await turnTo(page, `${home}/deposits`)
        const opener = page.getByRole('button', { name: 'Find' }).first()
        await opener.focus()
        await page.keyboard.press('Control+k')
        const box = page.getByRole('combobox', { name: 'explorer link' })
        await box.fill(`https://snowtrace.io/tx/${hash}`)
        const notSeen = page.getByRole('region', { name: 'Not found' })
        await notSeen.waitFor()
        for (const chain of ['Base', 'Ethereum', 'Polygon', 'Arbitrum', 'Avalanche'])
          await notSeen.getByText(chain, { exact: true }).first().waitFor()
        await notSeen
          .getByText(/every block read up to/)
          .first()
          .waitFor()
        // The chain is asked without a click.
        await notSeen.getByText('Pending: a node has it, but no block includes it yet').waitFor()
        Object.assign(faults, await checkPageTwice(page, 'palette-not-seen'))

        // The palette is still open when the transaction is mined.
        await world.clients.avalanche.request({ method: 'evm_mine' } as never)
        const option = page.getByRole('option', { name: /31 USDC on Avalanche/ })
        await option.getByText('CONFIRMING', { exact: true }).waitFor()
        expect(await notSeen.count()).toBe(0)
        Object.assign(faults, await checkPageTwice(page, 'palette-found'))
        await box.press('Enter')
        await page.getByRole('heading', { name: '31 USDC on Avalanche' }).waitFor()
        await page.getByText('1 of 2 confirmations').waitFor()
        expect(await page.getByRole('dialog').count()).toBe(0)
        Object.assign(faults, await checkPage(page, 'deposit-confirming'))

        await mining(true)
        const link = page.getByRole('link', { name: 'Open the execution' })
        await link.waitFor()
        await page.getByRole('region', { name: 'Its execution' }).getByText('SUCCESS').waitFor()
        expect(await page.getByText('of 2 confirmations').count()).toBe(0)
        Object.assign(faults, await checkPage(page, 'deposit-routed'))

        // With the keyboard both ways: the focus is on the new page, and then on the link again.
        await link.focus()
        await page.keyboard.press('Enter')
        await page.waitForURL(/\/executions\//)
        await settled(page)
        expect(await focused(page)).not.toBe('body')
        await page.goBack()
        const isOnLink = () => document.activeElement?.textContent === 'Open the execution'
        await page.waitForFunction(isOnLink)

        for (const text of [hash, depositAddress, userId, `https://snowtrace.io/address/${depositAddress}`]) {
          await page.keyboard.press('Control+k')
          await box.fill(text)
          await page.getByRole('option', { name: /31 USDC, Avalanche → Arbitrum/ }).waitFor()
          await page.keyboard.press('Escape')
          await page.waitForFunction(isOnLink)
        }
        // Enter is pressed before the results arrive.
        await page.keyboard.press('/')
        await box.fill(hash)
        await box.press('Enter')
        await page.waitForURL(/\/executions\//)

        await turnTo(page, `${home}/deposits`)
        await turnTo(page, `${home}/deposits?q=${userId}`)
        await page.getByRole('link', { name: /, deposit 43114:/ }).click()
        await page.getByRole('heading', { name: '31 USDC on Avalanche' }).waitFor()
        expect([faults, complaints]).toEqual([{}, []])
      } finally {
        await mining(true)
      }
      await context.close()
    },
  )

  nightly('an unseen hash lists the searched chains, and each is queried for it', async () => {
    const { world, browser, url, account } = seen()
    const { page, context, complaints } = await visit(browser, url)
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    const box = page.getByRole('combobox', { name: 'explorer link' })
    const notSeen = page.getByRole('region', { name: 'Not found' })
    await page.keyboard.press('Control+k')
    await box.fill(`https://arbiscan.io/tx/${hashOf(0xdead)}`)
    await notSeen.getByText('The chain has no such transaction; check the chain and the hash.').waitFor()
    expect(await notSeen.getByText('Neither mined nor pending on this chain').count()).toBe(1)

    // Another organization learns nothing: its deposit pays none of one's own addresses.
    const other = await visit(browser, url)
    await signIn(other.page, 'other@switchyard.test', account.password)
    const [theirs] = await world.executionsOf('shown-1')
    await other.page.keyboard.press('Control+k')
    const otherBox = other.page.getByRole('combobox', { name: 'explorer link' })
    await otherBox.fill(`https://basescan.org/tx/${theirs!.deposit.txHash}`)
    const otherNotSeen = other.page.getByRole('region', { name: 'Not found' })
    await otherNotSeen.getByText('Pays none of your deposit addresses', { exact: true }).waitFor()
    await otherBox.fill(theirs!.deposit.account)
    await otherNotSeen.getByText('This is not one of your deposit addresses').waitFor()

    await page.keyboard.press('Escape')
    await turnTo(page, `${home}/deposits/none`)
    await page.getByRole('heading', { name: 'No deposit with this id' }).waitFor()
    expect(await checkPage(page, 'deposit-unknown')).toEqual({})
    expect([complaints, other.complaints]).toEqual([[], []])
    await context.close()
    await other.context.close()
  })
}
