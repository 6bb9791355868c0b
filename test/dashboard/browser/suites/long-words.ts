import { expect, test } from 'bun:test'
import { isNightly } from '../../../support/depth'
import { signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'

const widths = isNightly ? [320, 390, 769, 1024, 1280, 1440, 1920] : [320]

/** A user id without a place to break, and a sentence with the id of another execution. */
const userId = 'customer'.repeat(15)
const successor = `8453:0x${'5c'.repeat(32)}:0:r1`
const next = {
  ...{ actor: 'NOBODY', action: 'FOLLOW', by: null, expectedAt: null, executionId: successor },
  message: `Superseded: this money was re-driven. Follow execution ${successor}.`,
}

/** Pages of a superseded deposit whose user has a long id. */
export function longWordTests(seen: () => Seen): void {
  test('no page is wider than the screen, however long the ids in its heading and sentences', async () => {
    const { browser, url, account, world } = seen()
    const { page, context } = await visit(browser, url)
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    const [execution] = await world.executionsOf('shown-2')
    const id = encodeURIComponent(execution!.id)
    await page.route(/\/app\/api\/(executions|deposits)\/[^/?]+$/, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...((await response.json()) as object), userId, next } })
    })
    const beside: Record<string, number> = {}
    for (const path of [`/executions/${id}`, `/deposits/${id}`, `/address?user=${userId}`]) {
      await page.setViewportSize({ width: 1440, height: 900 })
      await turnTo(page, `${home}${path}`)
      if (path.includes(id)) {
        const state = page.getByRole('region', { name: 'Current state' })
        await state.getByText('This money was routed again. Follow execution').waitFor()
        expect(await state.getByRole('link').getAttribute('href')).toBe(
          `${home}/executions/${encodeURIComponent(successor)}`,
        )
      }
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        if (beyond > 1) beside[`${path} at ${width}`] = beyond
      }
    }
    expect(beside).toEqual({})
    await context.close()
  })
}
