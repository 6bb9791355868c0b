import { expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { pageRoutes } from '../../../../src/dashboard/data/page-routes'
import { isNightly, nightly, sample } from '../../../support/depth'
import { until } from '../../../support/until'
import { settled, signIn, visit } from '../browser'
import type { Seen } from '../in-browser'
import { violationsNow } from '../page-checks'

/** The pages with the most figures are in every run, and of the others a few. A page costs seven seconds of processor. */
const always = ['/', '/usage', '/operations']
const paths = pageRoutes.map(({ path }) => path)
const taken = [
  ...always,
  ...sample(
    'pages without an answer',
    paths.filter((path) => !always.includes(path)),
    1,
  ),
]

/** The queries of a page that are refused alone, out of night. */
const alone = 2
/** Longest wait for the mark in the header. */
const markedMs = 15_000

/** What a page needs in order to begin at all: who is signed in, and the live stream. */
const needed = /\/app\/api\/(me|events)(\?|$)|\/app\/auth\/(?!list-)/

/** Returns everything on a page that states a value: no part of it has been read. */
const statedOn = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const stated: string[] = []
    const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true })
    const note = (what: string, text: string | null) => stated.push(`${what}: ${text?.replaceAll(/\s+/g, ' ').trim()}`)
    const walker = document.createTreeWalker(document.querySelector('main')!, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent!.trim()
      if (!isShown(node.parentElement!)) continue
      if (/(?<![\d.,:])0(?![\d.,:x])/.test(text)) note('a zero', text)
      if (text.startsWith('Amber:')) note('a legend without its map', text)
      if (/^(none|nothing|no) |^(none|nothing)\b|\bdone\b|^waiting for your/i.test(text)) note('a statement', text)
    }
    for (const element of document.querySelectorAll('main [aria-label]'))
      if (isShown(element) && /\b0\b/.test(element.getAttribute('aria-label')!))
        note('a zero', element.getAttribute('aria-label'))
    for (const element of document.querySelectorAll('main .is-done, main .empty'))
      note('done', element.querySelector('h2')!.textContent)
    for (const element of document.querySelectorAll('main [aria-label^="Copy "]'))
      if (isShown(element) && element.parentElement!.textContent!.includes('…'))
        note('a placeholder to copy', element.parentElement!.textContent)
    for (const button of document.querySelectorAll('main button')) {
      const name = button.getAttribute('aria-label') ?? button.textContent!
      if (isShown(button) && /^(Pause|Resume)\b/.test(name)) note('an offer about unread pauses', name)
    }
    const mark = document.querySelector('header [data-live]')!.textContent!
    if (mark === 'Live') note('the mark', mark)
    return stated
  })

/** Waits until the mark in the header has these words. A page that reads something again and again never has "Live". */
const showsMark = (page: Page, words: string): Promise<boolean> =>
  page
    .locator('header [data-live]')
    .getByText(words, { exact: true })
    .waitFor({ timeout: markedMs })
    .then(
      () => true,
      () => false,
    )

/** Returns what is stated more often than on the whole page. A label may lack what was not read. */
function beyond(stated: readonly string[], whole: readonly string[]): string[] {
  const left = [...whole]
  return stated.filter((each) => {
    const at = left.findIndex((other) => other.startsWith(each))
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** Signs in. `addressOf` returns the address of a page, with an example in place of its parameters. */
async function entered({ browser, url, account, world }: Seen) {
  const { page, context } = await visit(browser, url)
  await signIn(page, account.email, account.password)
  const home = new URL(page.url()).pathname.replace(/\/$/, '')
  const [execution] = await world.executionsOf('shown-1')
  const [key] = (await (await context.request.get(`${url}/app/api/keys`)).json()) as { id: string }[]
  const pathOf = (path: string) =>
    path
      .replace('/keys/:id', `/keys/${key?.id ?? 'key_0'}`)
      .replace('/deposits/:id', `/deposits/${encodeURIComponent(execution!.redriveOf ?? execution!.id)}`)
      .replace(':delivery', 'none')
      .replace('/webhooks/:id', '/webhooks/none')
      .replace(':id', encodeURIComponent(execution!.id))
      .replace(/^\/address$/, '/address?user=shown-1')
  return { page, context, addressOf: (path: string) => `${url}${home}${pathOf(path)}` }
}

/** Every page before its queries are answered, and after they failed. */
export function unreadTests(seen: () => Seen): void {
  test('no page states a number, none or done that it has not read, and each recovers by itself', async () => {
    const { page, context, addressOf } = await entered(seen())
    const faults: Record<string, string[]> = {}
    const note = (title: string, found: string[]) => {
      if (found.length > 0) faults[title] = [...(faults[title] ?? []), ...found]
    }
    let answer: (route: Route) => unknown = (route) => route.continue()
    await page.route(/\/app\/(api|auth)\//, (route) =>
      needed.test(route.request().url()) ? route.continue() : answer(route),
    )
    const checked = async () => (isNightly ? violationsNow(page) : [])
    for (const path of taken) {
      const waiting: Route[] = []
      answer = (route) => waiting.push(route)
      await page.goto(addressOf(path))
      await page.locator('main h1').waitFor()
      note(`${path}, while its queries are on the way`, [...(await statedOn(page)), ...(await checked())])

      answer = (route) => route.fulfill({ status: 503, json: { message: 'Refused by the test' } })
      const hasQueries = waiting.length > 0
      await Promise.all(waiting.map(answer))
      if (hasQueries) await page.locator('main').getByText('Refused by the test').first().waitFor()
      await settled(page)
      note(`${path}, after its queries failed`, [...(await statedOn(page)), ...(await checked())])
      const retries = await page.getByRole('button', { name: 'Try again' }).count()
      if (hasQueries && retries === 0) note(`${path}, after its queries failed`, ['no button to try again'])

      answer = (route) => route.continue()
      await page.getByText('Refused by the test').first().waitFor({ state: 'detached' })
      await settled(page)
    }
    expect(faults).toEqual({})
    await context.close()
  })

  test('a query that fails alone, also one that others lead to, is marked, and no value is stated in its place', async () => {
    const { page, context, addressOf } = await entered(seen())
    let refused: string | null = null
    const asked = new Set<string>()
    await page.route(/\/app\/(api|auth)\//, (route) => {
      const { pathname } = new URL(route.request().url())
      if (needed.test(route.request().url())) return route.continue()
      asked.add(pathname)
      // A final refusal, which is not repeated.
      const refusal = { status: 409, json: { message: 'Refused by the test' } }
      return pathname === refused ? route.fulfill(refusal) : route.continue()
    })
    const open = async (path: string, mark: string) => {
      asked.clear()
      await page.goto(addressOf(path))
      await settled(page)
      const isMarked = await showsMark(page, mark)
      await settled(page)
      return { isMarked, queries: [...asked], stated: await statedOn(page) }
    }
    // What the frame of every page reads is refused on the first page only.
    const frame = new Set(isNightly ? (await open('/account', 'Live')).queries : [])
    const faults: Record<string, string[]> = {}
    for (const path of isNightly ? paths : ['/']) {
      refused = null
      const whole = await open(path, 'Live')
      const own = whole.queries.filter((query) => path === '/' || !frame.has(query))
      for (refused of sample('queries of the overview that are refused alone', own, alone)) {
        const { isMarked, queries, stated } = await open(path, 'Not up to date')
        const found = beyond(stated, whole.stated)
        if (!isMarked && queries.includes(refused)) found.push('the mark does not say that a part is missing')
        if (found.length > 0) faults[`${path} without ${refused}`] = found
      }
    }
    expect(faults).toEqual({})
    await context.close()
  })

  nightly('a page whose main query fails again says how old its data is, and how to retry', async () => {
    const { browser, url, account, world } = seen()
    const { page, context } = await visit(browser, url)
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    const [execution] = await world.executionsOf('shown-1')
    const id = encodeURIComponent(execution!.id)
    for (const [path, refused] of [
      [`/deposits/${id}`, /\/app\/api\/deposits\/[^/?]+$/],
      [`/executions/${id}`, /\/app\/api\/executions\/[^/?]+$/],
      ['/address?user=shown-1', /\/deposit-address$/],
    ] as const) {
      await page.goto(`${url}${home}${path}`)
      await settled(page)
      await page.route(refused, (route) => route.fulfill({ status: 503, json: { message: 'Refused by the test' } }))
      const age = page.locator('main').getByText(/Refused by the test.*Shown below is the data of/s)
      await until(`the age of ${path}`, async (note) => {
        // A person returns to the tab.
        await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
        note(await page.locator('main').innerText())
        return (await age.count()) > 0
      })
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBeGreaterThan(0)
      await page.unroute(refused)
    }
    await context.close()
  })
}
