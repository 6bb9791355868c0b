import { test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { settled, signIn, visit } from './browser'
import { inBrowser, type Seen } from './in-browser'

mkdirSync('/tmp/dash2-shots', { recursive: true })
function shotTests(seen: () => Seen): void {
  test('shots', async () => {
    const { browser, url, account, world } = seen()
    let status = 200
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('Answer', { status }) })
    const { page, context, complaints } = await visit(browser, url)
    await signIn(page, account.email, account.password)
    const home = `${url}${new URL(page.url()).pathname.replace(/\/$/, '')}`
    const shoot = async (name: string) => {
      for (const width of [1280, 320])
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 800 })
          await page.emulateMedia({ colorScheme })
          await page.waitForTimeout(400)
          await page.screenshot({ path: `/tmp/dash2-shots/${name}-${width}-${colorScheme}.png`, fullPage: true })
        }
      await page.setViewportSize({ width: 1280, height: 800 })
    }
    await page.goto(`${home}/webhooks`)
    await page.getByRole('button', { name: 'Add endpoint' }).first().click()
    await page.getByRole('dialog').waitFor()
    await shoot('add-endpoint')
    await page.getByLabel('URL').fill(`http://localhost:${server.port}/hooks`)
    await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
    await page.getByLabel('I have stored this secret').check()
    await page.getByRole('button', { name: 'Done' }).click()
    for (const n of [1, 2]) {
      const user = world.newUserId('shot')
      const { depositAddress: to } = await world.intend(user, { to: 'arbitrum', receive: 'USDC' })
      await world.devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to })
      await world.ended(user, 1)
      if (n === 1) status = 500
    }
    await page.getByRole('link', { name: /localhost/ }).first().click()
    await page.getByText('Being retried').first().waitFor()
    await settled(page)
    await shoot('endpoint')
    await page.goto(`${home}/statement`)
    await settled(page)
    await shoot('statement')
    await page.goto(`${home}/usage?days=days`)
    await page.getByText('Choose the first').waitFor()
    await shoot('usage-unchosen')
    const today = new Date().toISOString().slice(0, 10)
    await page.goto(`${home}/usage?days=days&since=${today}&until=${today}`)
    await settled(page)
    await shoot('usage-days')
    const [one] = await world.executionsOf('shown-1')
    await page.goto(`${home}/executions/${encodeURIComponent(one!.id)}`)
    await settled(page)
    await shoot('execution')
    await page.goto(home)
    await settled(page)
    await page.getByRole('button', { name: /^FAILED_UNROUTABLE_MAIN/ }).click()
    await page.getByText('All, oldest first').waitFor()
    await settled(page)
    await shoot('overview-state')
    await page.goto(`${home}/deposits/${encodeURIComponent(one!.id)}`)
    await settled(page)
    await page.route(/\/app\/api\/deposits\/[^/?]+$/, (route) => route.fulfill({ status: 503, json: { message: 'Refused' } }))
    for (let n = 0; n < 60 && (await page.getByText('Shown below is the data').count()) === 0; n++) {
      await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
      await page.waitForTimeout(500)
    }
    await shoot('deposit-stale')
    console.log('complaints', complaints)
    await context.close()
    server.stop()
  }, 600_000)
}
await inBrowser(shotTests)
