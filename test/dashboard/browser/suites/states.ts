import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { invite } from '../../../../src/cli/installation/invite'
import { settled, signIn, turnTo, type Visit, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPageTwice } from '../page-checks'
import { keyDialogs, operatorDialogs, personDialogs } from './dialogs'

/** The pages before signing in. */
export function signedOutTests(seen: () => Seen): void {
  test('the pages before signing in have no fault', async () => {
    const { browser, url, world } = seen()
    const { page, context, complaints } = await visit(browser, url)
    const faults = {}
    const seenAs = async (title: string) => Object.assign(faults, await checkPageTwice(page, title))
    await page.getByRole('button', { name: 'Create an account' }).click()
    await seenAs('sign-up')
    for (const [title, path] of [
      ['forgotten', '/forgotten'],
      ['single-sign-on', '/sso?trouble=refused'],
      ['new-password', '/reset-password?token=none'],
      ['invitation', '/invitation?token=none'],
    ] as const) {
      await page.goto(`${url}/app${path}`)
      await seenAs(title)
    }
    const invited = { organization: 'other', email: 'new-here@switchyard.test', role: 'member', origin: url } as const
    await page.goto((await invite(world.store, invited)).link)
    await page.getByText('You are invited to join other as member').waitFor()
    await seenAs('invited')
    await page.goto(`${url}/app`)
    await page.locator('[name=email]').fill('nobody@switchyard.test')
    await page.locator('[name=password]').fill('not the password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await seenAs('sign-in-refused')
    expect([faults, complaints]).toEqual([{}, []])
    await context.close()
  })
}

/** Dialogs, results, and pages that load or failed. */
export function dialogTests(seen: () => Seen): void {
  test('dialogs, results, and loading or failed pages have no fault', async () => {
    const { account, world } = seen()
    const faults = {}
    const [one, other] = await Promise.all([
      entered(seen(), account.email, faults),
      entered(seen(), account.email, faults),
    ])
    const results = async () => {
      const { page, go, seenAs, home } = other
      await go('/simulate')
      await page.getByLabel('User').fill('shown-1')
      await choose(page, 'From chain', 'Base')
      await choose(page, 'Token', 'USDC')
      await page.getByRole('button', { name: 'Simulate', exact: true }).click()
      await page.getByText('Routed').first().waitFor()
      await seenAs('simulated')

      await go('/members')
      await page.getByPlaceholder('ada@example.com').fill('new@switchyard.test')
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      await page.getByText('new@switchyard.test').first().waitFor()
      await seenAs('members-invited')
      await go('/audit')
      await choose(page, 'What', 'Invited a member')
      await page.waitForURL(/verb=member.invite$/)
      await page.getByText('new@switchyard.test').first().waitFor()
      expect(await page.locator('tbody tr').count()).toBe(1)
      await seenAs('audit-of-a-verb')
      const [refused] = await world.executionsOf('shown-2')
      await go(`/executions/${encodeURIComponent(refused!.id)}`)
      await seenAs('execution-failed')
      await go('/executions/none')
      await seenAs('execution-unknown')

      await page.route('**/app/api/executions?**', (route) => route.abort())
      await page.goto(`${home}/executions`)
      await page.getByRole('alert').waitFor()
      await seenAs('executions-failed')
    }
    await Promise.all([keyDialogs(one).then(() => personDialogs(one)), results()])
    expect(faults).toEqual({})
    await closed(one, other)
  })
}

/** The pages of the platform's operators, and those of an empty organization. */
export function operatorTests(seen: () => Seen): void {
  test('the pages of platform operators and of an empty organization have no fault', async () => {
    const faults = {}
    const [operator, other] = await Promise.all([
      entered(seen(), 'operator@switchyard.test', faults),
      entered(seen(), 'other@switchyard.test', faults),
    ])
    const walk = async ({ go, seenAs }: typeof operator, prefix: string, paths: string[]) => {
      for (const path of paths) {
        await go(`/${path}`)
        await seenAs(`${prefix}-${path || 'overview'}`)
      }
    }
    await Promise.all([
      walk(operator, 'platform', ['', 'operations', 'blacklist', 'executions']).then(() => operatorDialogs(operator)),
      walk(other, 'empty', ['', 'executions', 'deposits', 'usage', 'start']),
    ])
    expect([faults, ...operator.complaints, ...other.complaints]).toEqual([{}])
    await closed(operator, other)
  })
}

/** Signs a person in. `seenAs` checks the page and records its faults under a title. */
async function entered({ browser, url, account }: Seen, email: string, faults: object) {
  const person = await visit(browser, url)
  await signIn(person.page, email, account.password)
  const home = person.page.url().replace(/\/$/, '')
  const go = (path: string) => turnTo(person.page, `${home}${path}`)
  const seenAs = async (title: string, checkPage = checkPageTwice) =>
    Object.assign(faults, await checkPage(person.page, title))
  return { ...person, home, go, seenAs }
}

const closed = (...visits: Visit[]) => Promise.all(visits.map(({ context }) => context.close()))

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).first().click()
  await page.getByRole('option', { name: option, exact: true }).first().click()
  await settled(page)
}
