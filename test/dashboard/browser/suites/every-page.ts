import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage, wide } from '../page-checks'

/** Pages are checked in several tabs, because one can be painted while another waits for the service. */
const tabs = 3
const places = [
  'overview:/',
  'executions:/executions',
  'no-match:/executions?user=nobody',
  'execution:/executions/ID',
  'deposits:/deposits',
  'usage:/usage',
  'statement:/statement',
  'start:/start',
  'keys:/keys',
  'requests:/keys/all',
  'address:/address?user=shown-1',
  'simulate:/simulate',
  'operations:/operations',
  'security-list:/blacklist',
  'audit:/audit',
  'recipient-changes:/recipient-changes',
  'members:/members',
  'notifications:/notifications',
  'account:/account',
]

/** Each page of an organization, at every width and in both colour schemes. */
export function everyPageTests(seen: () => Seen): void {
  test('every page has no accessibility fault, error or foreign request, light and dark, wide and on a phone', async () => {
    const { browser, url, account, world } = seen()
    const { page, context, complaints, outside } = await visit(browser, url)
    const faults: Record<string, string[]> = {}
    Object.assign(faults, await checkPage(page, 'sign-in'))
    await signIn(page, account.email, account.password)
    const home = new URL(page.url()).pathname.replace(/\/$/, '')
    const [failed] = await world.executionsOf('shown-3')
    const left = [...places]
    const lookOn = async (tab: Page) => {
      for (let place = left.shift(); place; place = left.shift()) {
        const [title, path] = place.split(/:(.*)/) as [string, string]
        await turnTo(tab, `${home}${path.replace('ID', encodeURIComponent(failed!.id))}`)
        Object.assign(faults, await checkPage(tab, title))
      }
    }
    const others = Array.from({ length: tabs - 1 }, async () => {
      const tab = await context.newPage()
      await tab.setViewportSize(wide)
      await tab.goto(`${url}${home}`)
      await settled(tab)
      await lookOn(tab)
    })
    await Promise.all([lookOn(page), ...others])
    expect([faults, complaints, outside]).toEqual([{}, [], []])
    await context.close()
  })
}
