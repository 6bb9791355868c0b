import { rewrite } from '../../domain/concurrency'
import { type Policy, policyWith } from '../../domain/execution/route'
import { isLenient, type Seals, withSealedShare } from '../../domain/seals'
import type { MemberRole } from '../../domain/tenant/member-role'
import type { Organization, plans } from '../../domain/tenant/organization'
import { newOrganization } from '../../http/dashboard/new-tenants'
import { appendAudit } from '../installation/audit'
import { databaseUrl, withStore } from '../installation/database'
import { readDevnetFile } from '../installation/devnet-file'
import { findOrganization } from '../installation/find-organization'
import { invite } from '../installation/invite'
import { sealsWith } from '../installation/seals'
import { Failure } from '../terminal/failure'
import { table } from '../terminal/table'

type OrganizationOptions = { slug: string; name?: string; plan: Organization['plan']; platform?: boolean }

export async function createOrganization({
  slug,
  name = slug,
  plan,
  platform = false,
}: OrganizationOptions): Promise<void> {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(slug))
    throw new Failure(
      'The slug must have 1 to 40 lower case letters, digits and hyphens, and may not begin or end with a hyphen.',
    )
  await withStore(databaseUrl(), async (store) => {
    await store.ensureIndexes()
    const all = await store.organizations.all()
    if (all.some((each) => each.slug === slug)) throw new Failure(`The organization ${slug} already exists.`)
    const organization = newOrganization({ slug, name, plan, isPlatform: platform }, await store.time())
    const details = { slug, plan, isPlatform: platform }
    await appendAudit(store, {
      organizationId: organization.id,
      verb: 'organization.create',
      target: organization.id,
      details,
    })
    if (!(await store.organizations.save(organization)))
      throw new Failure('The organization could not be stored; try again.')
    console.log(`organization ${slug}: ${organization.id}`)
  })
}

type PolicyOptions = { [Name in keyof Policy]?: Policy[Name] } & { reset?: boolean }

/** Changes and shows the limits of an organization's routes. A share below the platform's is sealed. */
export async function setPolicy(name: string, { reset, ...wanted }: PolicyOptions): Promise<void> {
  await withStore(databaseUrl(), async (store) => {
    const { organizations } = store
    const { id, slug } = await findOrganization(store, name)
    const isChange = reset || Object.keys(wanted).length > 0
    const stored = await rewrite(organizations, id, async (organization) => {
      if (!organization || !isChange) return null
      const changed = { ...(reset ? {} : organization.policy), ...wanted }
      const policy = Object.keys(changed).length > 0 ? changed : null
      await appendAudit(store, { organizationId: id, verb: 'organization.policy', target: id, details: { policy } })
      const unsealed = { ...organization, policy, policySeal: null }
      return isLenient(unsealed) ? withSealedShare(currentSeals(), unsealed) : unsealed
    })
    const policy = stored?.policy ?? {}
    const rows = Object.entries(policyWith(policy)).map(([field, value]) => [
      field,
      `${value}`,
      Object.hasOwn(policy, field) ? 'set by the organization' : '',
    ])
    console.log(table([slug, 'value', ''], rows))
  })
}

/**
 * Changes the plan of an organization. Keys with sponsored gas stay; if the plan has no sponsored gas, their deposits
 * wait.
 */
export async function setPlan(name: string, plan: keyof typeof plans): Promise<void> {
  await withStore(databaseUrl(), async (store) => {
    const { id, slug } = await findOrganization(store, name)
    let answer = ''
    await rewrite(store.organizations, id, async (organization) => {
      answer = `${slug} already has the plan ${plan}`
      if (!organization || organization.plan === plan) return null
      const details = { from: organization.plan, to: plan }
      await appendAudit(store, { organizationId: id, verb: 'organization.plan', target: id, details })
      answer = `${slug}: ${organization.plan} → ${plan}`
      return { ...organization, plan, customPlan: null }
    })
    console.log(answer)
  })
}

export async function listOrganizations(): Promise<void> {
  const all = await withStore(databaseUrl(), ({ organizations }) => organizations.all())
  const rows = all.map((each) => [each.slug, each.id, each.name, each.plan, each.isPlatform ? 'platform' : ''])
  console.log(table(['slug', 'id', 'name', 'plan', ''], rows))
}

type InviteOptions = { email: string; role: MemberRole }

/** Prints only the link to standard output, for scripts, and the rest to standard error. */
export async function inviteMember(organization: string, { email, role }: InviteOptions): Promise<void> {
  const { link, slug } = await withStore(databaseUrl(), (store) =>
    invite(store, { organization, email, role, origin: dashboardOrigin() }),
  )
  console.error(`${email} may join ${slug} as ${role}. The link works for 7 days and is shown only once:`)
  console.log(link)
}

/** Returns the dashboard's origin: of the service in the environment, or of the demo on this machine. */
function dashboardOrigin({ PUBLIC_URL, MONGODB_URL, HOST, PORT }: Record<string, string | undefined> = process.env) {
  if (PUBLIC_URL) return new URL(PUBLIC_URL).origin
  if (!MONGODB_URL) return readDevnetFile().apiUrl
  return `http://${HOST || '127.0.0.1'}:${PORT || 3_000}`
}

/**
 * Returns the seals of the service whose database a command changes: from the environment, or of the demo on this
 * machine.
 */
export const currentSeals = (
  { INTENT_MAC_KEY, MONGODB_URL }: Record<string, string | undefined> = process.env,
): Seals => sealsWith(INTENT_MAC_KEY || (MONGODB_URL ? undefined : readDevnetFile().intentMacKey))

/**
 * Removes the second step of a person who lost it, and ends that person's sessions. The operator must have verified the
 * caller's identity. Signing in still requires the password.
 */
export async function removeSecondStep(email: string, { reason }: { reason: string }): Promise<void> {
  await withStore(databaseUrl(), async (store) => {
    const person = await store.secondSteps.find(email)
    if (!person) throw new Failure(`No account has the address ${email}.`)
    const details = { email: email.toLowerCase(), reason }
    const organizations = (await store.memberships.ofPerson(person.id)).map(({ id }) => id)
    for (const organizationId of organizations.length > 0 ? organizations : ['none'])
      await appendAudit(store, { organizationId, verb: 'person.second_step_off', target: person.id, details })
    await store.secondSteps.remove(person.id)
    const had = person.hasSecondStep ? 'The second step is gone' : 'There was no second step'
    console.log(`${had}, and every session of ${email} has ended. Ask the person to set up a new one immediately.`)
  })
}
