import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { authCollections } from '../../../../src/adapters/auth/auth-indexes'
import { rewrite } from '../../../../src/domain/concurrency'
import { newOrganization } from '../../../../src/http/dashboard/new-tenants'
import { nightly } from '../../../support/depth'
import { openIdProvider } from '../../../support/open-id-provider'
import { until } from '../../../support/until'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage, checkPageTwice } from '../page-checks'

/** A person without a password is sent to the provider again, in another window, before inviting a member. */
async function goesOnBeside(page: Page, { signsIn }: Awaited<ReturnType<typeof openIdProvider>>) {
  const faults: Record<string, string[]> = {}
  await page.goto(page.url().replace('/account', '/members'))
  await settled(page)
  await page.getByLabel('E-mail', { exact: true }).fill('invited@proved.example')
  await page.getByRole('button', { name: 'Invite' }).click()
  const again = page.getByRole('dialog', { name: 'Sign in again' })
  await again.getByText('without a Switchyard password').waitFor()
  Object.assign(faults, await checkPageTwice(page, 'provider-again'))
  const comesBackAs = async (sub: string) => {
    signsIn({
      sub,
      email: `${sub}@proved.example`,
      groups: ['/payments'],
      auth_time: Math.floor(Date.now() / 1_000),
    })
    const [beside] = await Promise.all([
      page.context().waitForEvent('page'),
      again.getByRole('button', { name: /^(Go to the provider|Open the window again)$/ }).click(),
    ])
    await beside.waitForEvent('close')
  }
  await comesBackAs('bob')
  await again.getByText('You signed in as bob@proved.example, so nothing was done.').waitFor()
  Object.assign(faults, await checkPageTwice(page, 'provider-again-as-another'))
  await comesBackAs('sue')
  await again.waitFor({ state: 'detached' })
  await page.getByText('invited@proved.example').first().waitFor()
  return faults
}

/** An owner accepts unstated verification, and requires a group. */
async function accepts(page: Page) {
  const name = 'Accept addresses whose verification is not stated'
  await page.getByRole('switch', { name }).press('Space')
  await page.getByText('are accepted now').waitFor()
  await page.getByRole('switch', { name, checked: true }).waitFor()
  const groups = page.getByLabel('Groups that may sign in')
  await groups.fill('/payments\n\n/payments\n Payments team ')
  await page.getByRole('button', { name: 'Save groups' }).click()
  await page.getByText('The groups are saved.').waitFor()
  const saved = '/payments\nPayments team'
  await until('the field shows the saved groups', async (note) => note(await groups.inputValue()) === saved)
}

/** An owner connects a provider, and a person signs in through it. */
export function singleSignOnTests(seen: () => Seen): void {
  nightly('an owner connects a provider, and a person of its domain signs in and sees this organization', async () => {
    const { world, browser, url, account } = seen()
    const { store } = world
    const provider = await openIdProvider()
    const { id } = newOrganization({ name: 'Signed on', slug: 'signed-on' }, Date.now())
    await store.organizations.save({ ...newOrganization({ name: 'Signed on', slug: 'signed-on' }, Date.now()), id })
    const [owner] = (await store.memberships.load('org_sandbox'))!.members
    await store.memberships.save({ id, version: 0, members: [owner!] })
    const { page, context, complaints } = await visit(browser, url)
    const faults = {}
    await signIn(page, account.email, account.password)
    await turnTo(page, '/app/signed-on/members')
    await page.getByRole('button', { name: 'Connect a provider' }).click()
    await page.locator('[name=issuer]').fill(provider.issuer)
    await page.locator('[name=clientId]').fill(provider.clientId)
    await page.locator('[name=clientSecret]').fill(provider.clientSecret)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The provider is connected.').waitFor()
    for (const name of ['proved.example', 'not-proved.example']) {
      await page.getByLabel('E-mail domain').fill(name)
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByText(name, { exact: true }).waitFor()
    }
    // Tests query no name server, so the store holds the result.
    await store.domainClaims.save({ id: 'proved.example', version: 0, organizationId: id, provedAt: 1 })
    const isProved = (name: string, prove = name === 'proved.example') => (prove ? { provedAt: 1 } : {})
    await rewrite(
      store.organizations,
      id,
      (known) =>
        known && {
          ...known,
          sso: { ...known.sso!, domains: known.sso!.domains.map((each) => ({ ...each, ...isProved(each.name) })) },
        },
    )
    await page.reload()
    await page.getByText('Proved', { exact: true }).waitFor()
    for (const name of ['Entra ID', 'Okta', 'Google Workspace', 'Keycloak'])
      await page.getByText(name, { exact: true }).click()
    Object.assign(faults, await checkPage(page, 'members-single-sign-on'))

    // As Entra ID does, the provider states nothing about the verification of the address.
    provider.signsIn({ sub: 'sue', email: 'sue@proved.example', groups: ['/payments'], name: 'Sue' })
    const other = await visit(browser, url)
    await other.page.goto(`${url}/app/sso`)
    await other.page.getByLabel('Work e-mail').fill('sue@proved.example')
    await other.page.getByRole('button', { name: 'Continue' }).click()
    await other.page.getByText('does not state whether it verified your e-mail address').waitFor()
    Object.assign(faults, await checkPageTwice(other.page, 'single-sign-on-unstated'))
    await accepts(page)
    await other.page.goto(`${url}/app`)
    await other.page.getByRole('link', { name: 'Single sign-on' }).click()
    await other.page.getByLabel('Work e-mail').fill('sue@proved.example')
    await other.page.getByRole('button', { name: 'Continue' }).click()
    await other.page.waitForURL('**/app/signed-on')
    await turnTo(other.page, '/app/signed-on/account')
    await other.page.getByText('You signed in through Signed on’s provider').waitFor()
    Object.assign(faults, await checkPageTwice(other.page, 'account-single-sign-on'))

    await rewrite(
      store.memberships,
      id,
      (known) => known && { ...known, members: known.members.map((each) => ({ ...each, role: 'owner' as const })) },
    )
    const longAgo = Date.now() - 16 * 60_000
    await world.connection
      .db!.collection(authCollections.session)
      .updateMany({ viaAt: { $gt: 0 } }, { $set: { viaAt: longAgo, secondStepAt: longAgo } })
    Object.assign(faults, await goesOnBeside(other.page, provider))

    const member = await visit(browser, url)
    await signIn(member.page, 'member@switchyard.test', account.password)
    await rewrite(store.organizations, id, (known) => known && { ...known, sso: { ...known.sso!, isDemanded: true } })
    const sandbox = (await store.memberships.load('org_sandbox'))!.members.find(({ role }) => role === 'member')!
    await rewrite(store.memberships, id, (known) => known && { ...known, members: [...known.members, sandbox] })
    await member.page.goto(`${url}/app/signed-on`)
    await member.page.getByText('requires its members to sign in through its own provider').waitFor()
    await settled(member.page)
    Object.assign(faults, await checkPageTwice(member.page, 'single-sign-on-first'))
    expect([faults, complaints, other.complaints]).toEqual([{}, [], []])
    // The person who later sees two organizations would begin in the other one.
    await store.memberships.save({ ...(await store.memberships.load(id))!, members: [] })
    for (const { context: each } of [{ context }, other, member]) await each.close()
  })
}
