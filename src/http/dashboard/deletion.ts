import { Elysia } from 'elysia'
import { rewrite } from '../../domain/concurrency'
import { isTerminal, type Status } from '../../domain/execution/status'
import { type } from '../../domain/schema'
import type { Erasure } from '../../ports/erasures'
import type { SignedIn } from '../../ports/identity'
import type { Membership } from '../../ports/members'
import { isInForce, organizationOf } from '../operator/pause-scope'
import { Refusal } from '../request/failure'
import { audited } from './audited'
import { assureSignedInLately, type MemberSession, memberSession, signedInOnly } from './member-session'
import type { MemberPorts } from './ports'
import { noOrganization } from './sign-in/sign-in-audit'

const Confirmation = type({ confirm: 'string <= 256' })

/** What is left in an account after these is the organization's to move, by a re-drive or a refund. */
const movable = ['QUOTA_EXCEEDED', 'FAILED_UNROUTABLE_MAIN', 'FAILED_INVALID_INPUT', 'DEAD_LETTER'] as const
const countedMax = 1_000

/** What must end before an organization can be deleted, each in a sentence. */
export type DeletionView = { open: string[] }

const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`

async function openOf(ports: MemberPorts, organizationId: string): Promise<string[]> {
  const { executionQueries, depositQueries, operator } = ports
  const left = { organizationId, superseded: false, status: movable as readonly Status[] }
  const [states, [seen], unmoved, pauses] = await Promise.all([
    executionQueries.countByState({ organizationId }),
    depositQueries.list({ organizationId, stage: ['CONFIRMING'] }, { limit: 1 }),
    executionQueries.count(left, countedMax),
    operator.pauses.changedSince(0),
  ])
  const underWay = states.reduce((sum, { state, count }) => sum + (isTerminal(state) ? 0 : count), 0)
  const isPaused = pauses.some((pause) => organizationOf(pause) === organizationId && isInForce(pause, ports.now()))
  return [
    ...(underWay > 0
      ? [`${many(underWay, 'deposit is', 'deposits are')} on the way: wait until they have ended.`]
      : []),
    ...(seen ? ['A deposit is being confirmed by its chain: wait until it has ended.'] : []),
    ...(unmoved > 0
      ? [
          `The money of ${many(unmoved, 'deposit', 'deposits')} that ended without a delivery is not spent: ` +
            'have it re-driven or refunded first.',
        ]
      : []),
    ...(isPaused ? ['Routing is paused: end the pause first, since money that still arrives is to be routed.'] : []),
  ]
}

/** Stores what is to be removed, and removes it. Any process does so once more a minute later. */
async function erase({ erasures, now }: MemberPorts, wish: Pick<Erasure, 'kind' | 'subject' | 'email'>): Promise<void> {
  const id = `${wish.kind.toLowerCase()}:${wish.subject}`
  const fresh: Erasure = { id, version: 0, ...wish, askedAt: now(), doneAt: null }
  const stored = await rewrite(erasures, id, (known) => (known === null ? fresh : null))
  await erasures.carryOut(stored!)
}

async function deleteOrganization(ports: MemberPorts, session: MemberSession, confirm: string): Promise<void> {
  const { organization } = session
  if (organization.isPlatform)
    throw new Refusal('INSUFFICIENT_PERMISSIONS', { message: 'The platform’s own organization cannot be deleted' })
  if (confirm !== organization.name)
    throw new Refusal('VALIDATION_FAILED', { message: 'confirm must be the name of the organization' })
  assureSignedInLately(ports, session)
  const open = await openOf(ports, organization.id)
  if (open.length > 0) throw new Refusal('MONEY_OPEN', { message: open.join(' ') })
  await audited(ports, session, { verb: 'organization.delete', target: organization.id })
  await erase(ports, { kind: 'ORGANIZATION', subject: organization.id, email: null })
}

const isLastOwner = ({ members }: Membership, personId: string): boolean => {
  const owners = members.filter(({ role }) => role === 'owner')
  return owners.length === 1 && owners[0]!.personId === personId
}

/** Leaves one organization. Of two last owners who leave at once, the later one stays. */
async function leave(ports: MemberPorts, { person }: SignedIn, organizationId: string): Promise<void> {
  await rewrite(ports.memberships, organizationId, (known) => {
    if (!known?.members.some(({ personId }) => personId === person.id)) return null
    if (isLastOwner(known, person.id)) throw new Refusal('LAST_OWNER')
    return { ...known, members: known.members.filter(({ personId }) => personId !== person.id) }
  })
}

async function deletePerson(ports: MemberPorts, signedIn: SignedIn, confirm: string): Promise<void> {
  const { person } = signedIn
  if (confirm.toLowerCase() !== person.email.toLowerCase())
    throw new Refusal('VALIDATION_FAILED', { message: 'confirm must be your e-mail address' })
  assureSignedInLately(ports, signedIn)
  const memberships = await ports.memberships.ofPerson(person.id)
  const owned = memberships.filter((membership) => isLastOwner(membership, person.id))
  if (owned.length > 0) {
    const names = (await Promise.all(owned.map(({ id }) => ports.organizations.load(id)))).map((one) => one?.name ?? '')
    const message = `You are the only owner of ${names.join(', ')}: make somebody else an owner, or delete it first`
    throw new Refusal('LAST_OWNER', { message })
  }
  const ids = memberships.length > 0 ? memberships.map(({ id }) => id) : [noOrganization]
  for (const id of ids)
    await audited(ports, { person, organization: { id } }, { verb: 'person.delete', target: person.id })
  for (const { id } of memberships) await leave(ports, signedIn, id)
  await erase(ports, { kind: 'PERSON', subject: person.id, email: person.email })
}

/** A person deletes the own account, and an owner the organization. */
export const deletionRoutes = (ports: MemberPorts) =>
  new Elysia()
    .use(
      new Elysia()
        .use(memberSession(ports, ['owner']))
        .get('/organization/deletion', async ({ session }): Promise<DeletionView> => {
          return { open: await openOf(ports, session.organization.id) }
        })
        .post(
          '/organization/delete',
          async ({ session, body, set }) => {
            await deleteOrganization(ports, session, body.confirm)
            set.status = 204
          },
          { body: Confirmation },
        ),
    )
    .use(
      new Elysia().use(signedInOnly(ports)).post(
        '/account/delete',
        async ({ signedIn, body, set }) => {
          await deletePerson(ports, signedIn, body.confirm)
          set.status = 204
        },
        { body: Confirmation },
      ),
    )
