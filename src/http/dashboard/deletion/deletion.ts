import { Elysia } from 'elysia'
import { rewrite } from '../../../domain/concurrency'
import type { TokenList } from '../../../domain/money/token'
import { type } from '../../../domain/schema'
import type { Erasure, Erasures, Membership, SignedIn } from '../../../ports/people'
import type { DepositQueries, ExecutionQueries } from '../../../ports/queries'
import type { AuditLog } from '../../../ports/tenants'
import { isInForce, organizationOf } from '../../operator/pause-scope'
import type { OperatorPorts } from '../../operator/ports'
import { Refusal } from '../../request/failure'
import { audited } from '../audited'
import { assureRecent, type MemberSession, memberSession, type SessionPorts, signedInOnly } from '../member-session'
import { noOrganization } from '../sign-in/sign-in-audit'
import { type OpenDepositsView, openDepositsOf } from './open-deposits'

type Ports = SessionPorts & {
  operator: Pick<OperatorPorts, 'pauses'>
  executionQueries: ExecutionQueries
  depositQueries: DepositQueries
  tokens: TokenList
  auditLog: AuditLog
  erasures: Erasures
}

const Confirmation = type({ confirm: 'string <= 256' })
/** `handsOver`: the number of open deposits that the owner saw and leaves to the platform's operators. */
const OrganizationDeletion = type({ confirm: 'string <= 256', handsOver: 'number.integer >= 0 = 0' })

/** `open`: the obstacles to the deletion, one sentence each. `left`: the open deposits that it would leave. */
export type DeletionView = { open: string[]; left: OpenDepositsView }

const namedMax = 5
const resumeFirst =
  'Routing is paused: end the pause first, so deposits that still arrive are routed. ' +
  'Only the platform’s operators can end a pause of the platform.'

async function openOf({ operator, now }: Ports, organizationId: string): Promise<string[]> {
  const pauses = await operator.pauses.changedSince(0)
  const isPaused = pauses.some((pause) => organizationOf(pause) === organizationId && isInForce(pause, now()))
  return isPaused ? [resumeFirst] : []
}

/** Returns why the organization cannot be deleted yet: its owner must hand over every open deposit. */
function sentenceOf({ count, deposits }: OpenDepositsView, handsOver: number): string {
  const named = deposits.slice(0, namedMax).map(({ id, status }) => `${id} (${status ?? 'not routed yet'})`)
  const more = count > named.length ? `, and ${count - named.length} more` : ''
  const changed = handsOver > 0 ? `The number has changed: you agreed to hand over ${handsOver}. ` : ''
  return (
    `${count} ${count === 1 ? 'deposit is' : 'deposits are'} still open: ${named.join(', ')}${more}. ${changed}` +
    'Deliver or refund them first, or hand them over to the platform’s operators'
  )
}

/** Stores the erasure, then carries it out. Any process repeats it a minute later. */
async function erase({ erasures, now }: Ports, request: Pick<Erasure, 'kind' | 'subject' | 'email'>): Promise<void> {
  const id = `${request.kind.toLowerCase()}:${request.subject}`
  const fresh: Erasure = { id, version: 0, ...request, askedAt: now(), doneAt: null }
  const stored = await rewrite(erasures, id, (erasure) => (erasure === null ? fresh : null))
  await erasures.carryOut(stored!)
}

async function deleteOrganization(
  ports: Ports,
  session: MemberSession,
  { confirm, handsOver }: typeof OrganizationDeletion.infer,
): Promise<void> {
  const { organization } = session
  if (organization.isPlatform)
    throw new Refusal('INSUFFICIENT_PERMISSIONS', { message: 'The platform’s own organization cannot be deleted' })
  if (confirm !== organization.name)
    throw new Refusal('VALIDATION_FAILED', { message: 'confirm must be the name of the organization' })
  assureRecent(ports, session)
  const open = await openOf(ports, organization.id)
  if (open.length > 0) throw new Refusal('MONEY_OPEN', { message: open.join(' ') })
  const left = await openDepositsOf(ports, organization.id)
  if (left.count > 0 && left.count !== handsOver)
    throw new Refusal('MONEY_OPEN', { message: sentenceOf(left, handsOver) })
  const details = { handedOver: left.count, deposits: left.deposits.map(({ id }) => id) }
  await audited(ports, session, { verb: 'organization.delete', target: organization.id, details })
  await erase(ports, { kind: 'ORGANIZATION', subject: organization.id, email: null })
}

const isLastOwner = ({ members }: Membership, personId: string): boolean => {
  const owners = members.filter(({ role }) => role === 'owner')
  return owners.length === 1 && owners[0]!.personId === personId
}

/** Leaves one organization. If the last two owners leave at the same moment, the later one stays. */
async function leave(ports: Ports, { person }: SignedIn, organizationId: string): Promise<void> {
  await rewrite(ports.memberships, organizationId, (current) => {
    if (!current?.members.some(({ personId }) => personId === person.id)) return null
    if (isLastOwner(current, person.id)) throw new Refusal('LAST_OWNER')
    return { ...current, members: current.members.filter(({ personId }) => personId !== person.id) }
  })
}

async function deletePerson(ports: Ports, signedIn: SignedIn, confirm: string): Promise<void> {
  const { person } = signedIn
  if (confirm.toLowerCase() !== person.email.toLowerCase())
    throw new Refusal('VALIDATION_FAILED', { message: 'confirm must be your e-mail address' })
  assureRecent(ports, signedIn)
  const memberships = await ports.memberships.ofPerson(person.id)
  const owned = memberships.filter((membership) => isLastOwner(membership, person.id))
  if (owned.length > 0) {
    const names = (await Promise.all(owned.map(({ id }) => ports.organizations.load(id)))).map((one) => one?.name ?? '')
    const message = `You are the only owner of ${names.join(', ')}: make another member an owner, or delete it first`
    throw new Refusal('LAST_OWNER', { message })
  }
  const ids = memberships.length > 0 ? memberships.map(({ id }) => id) : [noOrganization]
  for (const id of ids)
    await audited(ports, { person, organization: { id } }, { verb: 'person.delete', target: person.id })
  for (const { id } of memberships) await leave(ports, signedIn, id)
  await erase(ports, { kind: 'PERSON', subject: person.id, email: person.email })
}

/** Lets a person delete their own account, and an owner the organization. */
export const deletionRoutes = (ports: Ports) =>
  new Elysia()
    .use(
      new Elysia()
        .use(memberSession(ports, ['owner']))
        .get('/organization/deletion', async ({ session }): Promise<DeletionView> => {
          const { id } = session.organization
          return { open: await openOf(ports, id), left: await openDepositsOf(ports, id) }
        })
        .post(
          '/organization/delete',
          async ({ session, body, set }) => {
            await deleteOrganization(ports, session, body)
            set.status = 204
          },
          { body: OrganizationDeletion },
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
