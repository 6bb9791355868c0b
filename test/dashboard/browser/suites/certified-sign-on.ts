import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { rewrite } from '../../../../src/domain/concurrency'
import { newOrganization } from '../../../../src/http/dashboard/new-tenants'
import { certifiedProvider } from '../../../support/certified-provider'
import { nightly } from '../../../support/depth'
import { signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPageTwice } from '../page-checks'

const slug = 'certified'
const domain = 'certified.example'

/** An owner connects a certified provider on another site, and people return from its pages, signed in or not. */
export function certifiedSignOnTests(seen: () => Seen): void {
  nightly('certified provider: people sign in with consent, cancel, switch accounts, and meet an outage', async () => {
    const { world, browser, url, account } = seen()
    const id = await organizationOf(world.store)
    const provider = await certifiedProvider({ host: otherSite(url) })
    const { page, context, complaints } = await visit(browser, url)
    // The provider's pages request a font from elsewhere.
    await context.route(/googleapis/, (route) => route.abort())
    const faults: Record<string, string[]> = {}
    const seenAs = async (title: string) => Object.assign(faults, await checkPageTwice(page, title))
    const alert = page.getByRole('alert')

    await signIn(page, account.email, account.password)
    await turnTo(page, `/app/${slug}/members`)
    await page.getByRole('button', { name: 'Connect a provider' }).click()
    const dialog = page.getByRole('dialog')
    provider.start((await dialog.locator('.mono').textContent())!)
    await dialog.getByLabel('Issuer').fill(provider.issuer)
    await dialog.getByLabel('Client ID').fill(provider.clientId)
    await dialog.getByRole('textbox', { name: 'Client secret' }).fill(provider.clientSecret)
    await seenAs('certified-connect')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The provider is connected.').waitFor()
    await page.getByLabel('E-mail domain').fill(domain)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('Not proved', { exact: true }).waitFor()
    await prove(world.store, id)
    await page.reload()
    await page.getByText('Proved', { exact: true }).waitFor()
    await signOut(page)

    const goTo = async (email: string) => {
      await page.getByLabel('Work e-mail').fill(email)
      await page.getByRole('button', { name: 'Continue' }).click()
    }
    const atProvider = page.locator('[name=login]')
    const passOn = async (login: string) => {
      await atProvider.fill(login)
      await page.locator('[name=password]').fill('any')
      await page.getByRole('button', { name: 'Sign-in' }).click()
    }
    const consent = page.locator('button[type=submit]', { hasText: 'Continue' })

    await page.getByRole('link', { name: 'Single sign-on' }).click()
    await goTo('ada@nowhere.example')
    await alert.getByText('No organization has single sign-on for the domain').waitFor()
    await seenAs('certified-no-such-domain')

    await goTo(`ada@${domain}`)
    await page.waitForURL(`${provider.issuer}/**`)
    expect(await atProvider.inputValue()).toBe(`ada@${domain}`)
    await page.getByRole('link', { name: 'Cancel' }).click()
    await alert.getByText('was cancelled or refused at the provider').waitFor()
    await seenAs('certified-cancelled')

    await goTo(`ada@${domain}`)
    await passOn('ada@elsewhere.example')
    await consent.click()
    await alert.getByText('at a domain that your organization has not proved').waitFor()
    await seenAs('certified-other-domain')

    // The provider has the other account in its session, and still asks.
    await goTo(`ada@${domain}`)
    await passOn(`ada@${domain}`)
    await consent.click()
    await page.waitForURL(`${url}/app/${slug}`)
    await page.locator('main#main h1').waitFor()
    expect((await page.getByRole('button', { name: /^Organization/ }).textContent())?.trim()).toBe('Certified')
    await turnTo(page, `/app/${slug}/account`)
    await page.getByText(`ada@${domain}`).first().waitFor()
    await page.getByText('You signed in through Certified’s provider').waitFor()
    await seenAs('certified-signed-in')
    await page.getByRole('button', { name: /^Organization/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'New organization' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await signOut(page)

    provider.stop()
    await page.goto(`${url}/app/sso`)
    await goTo(`ada@${domain}`)
    await alert.getByText('Your organization’s provider does not respond').waitFor()
    await seenAs('certified-down')
    expect([faults, complaints]).toEqual([{}, [expect.stringContaining('status of 503')]])
    await world.store.memberships.save({ ...(await world.store.memberships.load(id))!, members: [] })
    await context.close()
  })
}

/** For a browser, this machine's two names are two sites, like an organization's provider and ours. */
const otherSite = (url: string): 'localhost' | '127.0.0.1' =>
  new URL(url).hostname === 'localhost' ? '127.0.0.1' : 'localhost'

type Store = Seen['world']['store']

/** Another organization of the demo's owner. */
async function organizationOf(store: Store): Promise<string> {
  const made = newOrganization({ name: 'Certified', slug }, Date.now())
  await store.organizations.save(made)
  const [owner] = (await store.memberships.load('org_sandbox'))!.members
  await store.memberships.save({ id: made.id, version: 0, members: [owner!] })
  return made.id
}

/** Tests query no name server, so the store holds the result. */
async function prove(store: Store, id: string): Promise<void> {
  await store.domainClaims.save({ id: domain, version: 0, organizationId: id, provedAt: 1 })
  await rewrite(
    store.organizations,
    id,
    (known) =>
      known && {
        ...known,
        sso: { ...known.sso!, domains: known.sso!.domains.map((each) => ({ ...each, provedAt: 1 })) },
      },
  )
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Organization Certified' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
}
