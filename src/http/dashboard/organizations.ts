import transliterate from '@sindresorhus/transliterate'
import { Elysia } from 'elysia'
import { rewrite } from '../../domain/concurrency'
import { type } from '../../domain/schema'
import { type MemberRole, newMember } from '../../domain/tenant/member-role'
import type { Organization } from '../../domain/tenant/organization'
import { perPerson, planOf } from '../../domain/tenant/organization'
import type { Semaphores } from '../../ports/limits'
import type { SendEmail, SignedIn } from '../../ports/people'
import type { AuditLog } from '../../ports/tenants'
import { Refusal } from '../request/failure'
import { audited } from './audited'
import {
  admins,
  assureRecent,
  memberSession,
  type SessionPorts,
  signedInNow,
  signedInOnly,
  visibleMemberships,
} from './member-session'
import { newOrganization, randomId } from './new-tenants'

type Ports = SessionPorts & {
  send: SendEmail
  isOpen: boolean
  auditLog: AuditLog
  semaphores: Semaphores
  webhooksToLoopback: boolean
}

/** The permit of a new organization is held for this long: longer than any request takes to store the membership. */
const creationMs = 5 * 60_000

const Name = type(/^[^\p{Cc}\p{Cs}]{1,64}$/u).describe('1 to 64 characters, none a control character')
const NameRequest = type({ name: Name })

/** An organization as one of its members sees it. */
export type OwnOrganizationView = ReturnType<typeof viewOf> & { role: MemberRole }

/** `webhooksToLoopback`: whether webhooks may be posted to this machine. */
export type MeView = SignedIn & {
  organizations: OwnOrganizationView[]
  canMail: boolean
  webhooksToLoopback: boolean
}

export type RegistrationView = { isOpen: boolean }

async function organizationsOf(ports: Ports, signedIn: SignedIn): Promise<OwnOrganizationView[]> {
  const { person } = signedIn
  const memberships = await visibleMemberships(ports, signedIn)
  const all = await Promise.all(memberships.map(({ id }) => ports.organizations.load(id)))
  return memberships
    .flatMap(({ members }, n) => {
      const organization = all[n]
      const role = members.find(({ personId }) => personId === person.id)!.role
      return organization ? [{ ...viewOf(organization), role }] : []
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Takes a permit from the store before an organization is made, so concurrent requests cannot exceed the limit. */
async function acquirePermit({ memberships, semaphores, now }: Ports, { person }: SignedIn, holder: string) {
  const others = (await memberships.ofPerson(person.id)).map(({ id }) => id)
  const request = { holder, most: perPerson.organizations, until: now() + creationMs, others }
  if (!(await semaphores.acquire(`organizations:${person.id}`, request)))
    throw new Refusal('LIMIT_REACHED', { message: `One person may have ${perPerson.organizations} organizations` })
}

async function createOrganization(ports: Ports, signedIn: SignedIn, name: string): Promise<Organization> {
  const { memberships, organizations, now } = ports
  const wanted = newOrganization({ name, slug: slugOf(name) }, now())
  await acquirePermit(ports, signedIn, wanted.id)
  await audited(ports, { ...signedIn, organization: wanted }, { verb: 'organization.create', target: wanted.id })
  const organization = await organizations.save(wanted)
  const members = [newMember(signedIn.person.id, 'owner', { at: now(), by: null })]
  const membership = organization && (await memberships.save({ id: organization.id, version: 0, members }))
  if (!organization || !membership) throw new Refusal('CHANGED_MEANWHILE')
  return organization
}

/** The pages request this first, so a missing session is not an error: the response is then null. */
const meRoute = (ports: Ports) =>
  new Elysia().get('/me', async ({ request }): Promise<MeView | Response> => {
    const signedIn = await signedInNow(ports, request.headers)
    if (!signedIn) return Response.json(null)
    const { send, webhooksToLoopback } = ports
    return {
      ...signedIn,
      organizations: await organizationsOf(ports, signedIn),
      canMail: send !== null,
      webhooksToLoopback,
    }
  })

/** The sign-up page requests this before it offers registration. */
const registrationRoute = ({ isOpen }: Ports) => new Elysia().get('/registration', (): RegistrationView => ({ isOpen }))

const creationRoute = (ports: Ports) =>
  new Elysia().use(signedInOnly(ports)).post(
    '/organizations',
    async ({ signedIn, body, set }): Promise<OwnOrganizationView> => {
      const organization = await createOrganization(ports, signedIn, body.name.trim() || 'Unnamed')
      set.status = 201
      return { ...viewOf(organization), role: 'owner' as const }
    },
    { body: NameRequest },
  )

const renameRoute = (ports: Ports) =>
  new Elysia().use(memberSession(ports, admins)).patch(
    '/organization',
    async ({ session, body }) => {
      const { organization } = session
      const details = { from: organization.name, to: body.name }
      await audited(ports, session, {
        verb: 'organization.rename',
        target: organization.id,
        details,
      })
      const name = body.name.trim() || organization.name
      const saved = await rewrite(ports.organizations, organization.id, (current) => current && { ...current, name })
      if (!saved) throw new Refusal('CHANGED_MEANWHILE')
      return { ...viewOf(saved), role: session.role }
    },
    { body: NameRequest },
  )

const SecondStepRequest = type({ demandsSecondStep: 'boolean' })

/** A member who demands a second step must have one, to prevent locking every member out. */
const secondStepRoute = (ports: Ports) =>
  new Elysia().use(memberSession(ports, admins)).put(
    '/organization/second-step',
    async ({ session, body: { demandsSecondStep } }) => {
      const { id } = session.organization
      if (demandsSecondStep && (session.via !== null || !session.person.hasSecondStep))
        throw new Refusal('VALIDATION_FAILED', {
          message: 'First sign in with your own password and second step',
        })
      assureRecent(ports, session)
      const details = { from: session.organization.demandsSecondStep ?? false, to: demandsSecondStep }
      await audited(ports, session, { verb: 'organization.second_step', target: id, details })
      const saved = await rewrite(ports.organizations, id, (current) => current && { ...current, demandsSecondStep })
      if (!saved) throw new Refusal('CHANGED_MEANWHILE')
      return { ...viewOf(saved), role: session.role }
    },
    { body: SecondStepRequest },
  )

export type BackupCodesView = { left: number }

/** The backup codes themselves are shown only when they are made. */
const backupCodesRoute = (ports: SessionPorts) =>
  new Elysia().use(signedInOnly(ports)).get('/account/backup-codes', async ({ signedIn }): Promise<BackupCodesView> => {
    const { id, hasSecondStep } = signedIn.person
    return { left: hasSecondStep ? await ports.identity.backupCodesLeft(id) : 0 }
  })

/** Routes for the signed-in person and their organizations. */
export const organizationRoutes = (ports: Ports) =>
  new Elysia()
    .use(meRoute(ports))
    .use(registrationRoute(ports))
    .use(creationRoute(ports))
    .use(renameRoute(ports))
    .use(secondStepRoute(ports))
    .use(backupCodesRoute(ports))

const viewOf = (organization: Organization) => {
  const { id, name, slug, plan, isPlatform, sso, createdAt } = organization
  const demandsSecondStep = organization.demandsSecondStep ?? false
  const demandsSso = sso?.isDemanded ?? false
  const { monthlyExecutions, sponsoredGasUsdPerDay } = planOf(organization)
  const created = new Date(createdAt).toISOString()
  const allowance = { monthlyExecutions, sponsoredGasUsdPerDay }
  return { id, name, slug, plan, isPlatform, demandsSecondStep, demandsSso, ...allowance, createdAt: created }
}

/** Returns a readable and unique name for the address bar. */
function slugOf(name: string): string {
  const words = transliterate(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 32)
  return `${words || 'organization'}-${randomId('').slice(0, 5).toLowerCase()}`
}
