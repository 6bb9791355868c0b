import { expect } from 'bun:test'
import { createHmac } from 'node:crypto'
import { eventTypes } from '../../../../src/domain/event-types'
import { nightly } from '../../../support/depth'
import { until } from '../../../support/until'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage, checkPageTwice, wide, zoomed } from '../page-checks'

type Got = { headers: Headers; body: string }

/** A scripted server of an integrator. */
function integrator() {
  const got: Got[] = []
  const answer = { status: 200 }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      got.push({ headers: request.headers, body: await request.text() })
      return new Response(`Answer of trace id 4711`, { status: answer.status })
    },
  })
  return { got, answer, url: `http://localhost:${server.port}/hooks`, stop: () => server.stop(true) }
}

const isSigned = ({ headers, body }: Got, secret: string): boolean => {
  const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${body}`
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return headers
    .get('webhook-signature')!
    .split(' ')
    .includes(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
}

/**
 * The pages of webhook endpoints: created, tested, filled by a real deposit, disabled by a 410, enabled, resent,
 * deleted.
 */
export function webhookTests(seen: () => Seen): void {
  nightly(
    'an endpoint is created, tested, gets real events, is disabled by 410, enabled, resent to and deleted',
    async () => {
      const { browser, url, account, world } = seen()
      const server = integrator()
      const { page, context, complaints } = await visit(browser, url)
      const faults: Record<string, string[]> = {}
      const seenAs = async (title: string, check = checkPageTwice) => Object.assign(faults, await check(page, title))
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const submit = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
      const closed = () => page.getByRole('dialog').waitFor({ state: 'detached' })
      const choose = async (name: string) => {
        await page
          .getByRole('button', { name: /^Change/ })
          .first()
          .click()
        await page.getByRole('menuitem', { name, exact: true }).click()
        await page.getByRole('dialog').waitFor()
      }
      const secretShown = async (): Promise<string> => {
        const secret = (await page.locator('[data-secret]').textContent())!
        await page.getByLabel('I have stored this secret').check()
        await button('Done').click()
        await closed()
        return secret
      }

      await signIn(page, account.email, account.password)
      const home = new URL(page.url()).pathname.replace(/\/$/, '')
      await turnTo(page, `${home}/webhooks`)
      await page.getByText('npx switchyard listen').waitFor()
      await seenAs('webhooks-none', checkPage)

      await button('Add endpoint').first().click()
      await page.getByText('or a program on this machine such as http://localhost:4242').waitFor()
      await page.getByLabel('URL').fill(server.url)
      await page.getByLabel('Description').fill('Checkout')
      const events = page.getByRole('combobox', { name: 'Events' })
      await events.click()
      const offered = await page.getByRole('option').allTextContents()
      expect(offered.toSorted()).toEqual(['chain.*', 'intent.*', ...eventTypes].toSorted())
      await seenAs('webhook-create-events')
      await events.press('Escape')
      await seenAs('webhook-create')
      await submit('Add endpoint')
      await page.locator('[data-secret]').waitFor()
      await seenAs('webhook-secret')
      const first = await secretShown()
      await page.getByText('Ready', { exact: true }).waitFor()

      await choose('Send a test')
      await submit('Send')
      await page.getByText('It was accepted.').waitFor()
      await seenAs('webhook-test')
      await page.keyboard.press('Escape')
      await closed()
      expect(server.got.map((one) => isSigned(one, first))).toEqual([true])

      await seenAs('webhooks', checkPage)
      await page.getByRole('link', { name: server.url }).click()
      await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
      await choose('Rotate the secret')
      await seenAs('webhook-rotate')
      await submit('Rotate the secret')
      const second = await secretShown()
      await page.getByText('Old secret stops signing').waitFor()

      const userId = world.newUserId('hooked')
      const { depositAddress: to } = await world.intend(userId, { to: 'arbitrum', receive: 'USDC' })
      await world.devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to })
      await world.ended(userId, 1)
      await page.getByRole('link', { name: 'execution.success' }).waitFor()
      const real = server.got.slice(1)
      // A worker gets the new secret a moment later. The first one always signs until the overlap ends.
      expect(real.every((one) => isSigned(one, first))).toBe(true)
      await until('a post that the second secret signed', (note) =>
        note(server.got).some((one) => isSigned(one, second)),
      )
      await page.getByRole('img', { name: /^Deliveries per hour: [1-9]\d* accepted, / }).waitFor()
      await seenAs('webhook-endpoint', checkPage)

      await page.getByRole('link', { name: 'execution.success' }).click()
      await page.getByRole('heading', { name: 'Attempts' }).waitFor()
      await page.getByText('Answered 200').waitFor()
      await page.getByText('Answer of trace id 4711').waitFor()
      await page.getByText(/webhook-signature: v1,/).waitFor()
      await page.getByText('"type": "execution.success"').waitFor()
      await seenAs('webhook-delivery', checkPage)
      const [delivered] = await world.executionsOf(userId)
      const subject = page.getByRole('link', { name: /^8453:0x/ })
      expect(await subject.getAttribute('href')).toEndWith(`/executions/${encodeURIComponent(delivered!.id)}`)

      server.answer.status = 410
      await button('Resend').click()
      await page.getByText('Answered 410', { exact: true }).waitFor()
      await page.getByRole('link', { name: 'All deliveries' }).click()
      await page.getByText('It answered 410 Gone').first().waitFor()
      await page.getByText('Your webhook endpoint at').waitFor()
      await seenAs('webhook-disabled', checkPage)
      // On a low screen, such as a laptop's at 400 % zoom, the problems leave room for the page.
      await page.setViewportSize(zoomed)
      await page.getByText(/^\d+ current problems?$/).waitFor()
      const strip = await page.getByRole('region', { name: 'Current problems' }).boundingBox()
      expect(strip!.height).toBeLessThan(zoomed.height / 4)
      await page.setViewportSize(wide)
      server.answer.status = 200
      await button('Enable it').click()
      await submit('Enable')
      await closed()
      await page.getByText('This endpoint receives no events.').waitFor({ state: 'detached' })

      const [rows, figures] = [page.locator('main tbody tr'), page.getByRole('region', { name: 'Figures' })]
      await page.getByLabel('Search').fill(userId)
      await page.getByRole('combobox', { name: 'Event', exact: true }).click()
      await page.getByRole('option', { name: 'execution.success', exact: true }).click()
      await until('one delivery', async (note) => note(await rows.count()) === 1)
      await figures.getByText('Success rate').waitFor()
      await seenAs('webhook-filtered', checkPage)
      await page.getByLabel('Search').fill('nobody-at-all')
      await page.getByText('No delivery matches').waitFor()
      await button('Clear filters').click()

      const before = server.got.length
      await choose('Resend events')
      await page.getByText(/^Not accepted yet \(\d+\)$/).waitFor()
      await seenAs('webhook-resend')
      await page.getByText(/^All \(\d+\)$/).click()
      await submit('Resend')
      await page.getByText(/events are scheduled to be sent again/).waitFor()
      await closed()
      await until('two posts again', (note) => note(server.got.length) > before + 1)

      await choose('Edit')
      await seenAs('webhook-edit')
      await page.keyboard.press('Escape')
      await closed()
      await choose('Delete')
      await seenAs('webhook-delete')
      await submit('Delete endpoint')
      await page.getByText('No endpoints yet').waitFor()
      await settled(page)
      expect([faults, complaints]).toEqual([{}, []])
      await context.close()
      server.stop()
    },
  )
}
