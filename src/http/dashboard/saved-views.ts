import { Elysia } from 'elysia'
import { rewrite } from '../../domain/concurrency'
import { type } from '../../domain/schema'
import type { MemberRole } from '../../domain/tenant/member-role'
import type { Member, Membership, SavedView } from '../../ports/people'
import { Refusal } from '../request/failure'
import { readQuery } from '../request/query'
import { described } from '../views/scalar'
import {
  admins,
  assureRole,
  everybody,
  type MemberSession,
  memberSession,
  operators,
  rewriteOwn,
  type SessionPorts,
} from './member-session'

/** Every request of a member reads the membership, so it stays small. */
const viewsMax = 20
/** Shared views are shown to every member. */
const sharedMax = 20

const Name = type(/^[^\p{Cc}\p{Cs}]{1,32}$/u).describe('1 to 32 characters, none a control character')
const View = type({
  name: Name,
  query: type('string <= 600').describe('at most 600 characters'),
  'isShared?': 'boolean',
})
const Named = type({
  name: described(Name, 'The name', 'Stuck on Base'),
  'sharedQuery?': described(View.get('query'), 'The filters of a view that another member shares', 'status=FAILED'),
})

type Shown = { name: string; query: string; isShared: boolean; isOwn: boolean }
export type SavedViewsView = readonly Shown[]

const sharers: readonly MemberRole[] = operators
/** A member who may no longer share views shares none. */
const viewsOf = (member: Member): readonly SavedView[] =>
  (member.views ?? []).map(({ isShared, ...view }) =>
    isShared && sharers.includes(member.role) ? { ...view, isShared } : view,
  )
const isShared = (view: SavedView): boolean => view.isShared ?? false
const othersOf = ({ members }: Membership, personId: string): SavedView[] =>
  members.filter((member) => member.personId !== personId).flatMap((member) => viewsOf(member).filter(isShared))

/** Returns the member's own views, then the different ones that other members share. */
function shownTo(own: Member, membership: Membership): SavedViewsView {
  const shown = (views: readonly SavedView[], isOwn: boolean) =>
    views.map((view): Shown => ({ name: view.name, query: view.query, isShared: isShared(view), isOwn }))
  const all = [...shown(viewsOf(own), true), ...shown(othersOf(membership, own.personId), false)]
  const textOf = ({ name, query }: Shown): string => JSON.stringify([name, query])
  return all.filter((view, n) => all.findIndex((each) => textOf(each) === textOf(view)) === n)
}

function withView(
  member: Member,
  membership: Membership,
  { name, query, isShared: wanted }: typeof View.infer,
): Member {
  const others = viewsOf(member).filter((view) => view.name !== name)
  if (others.length >= viewsMax)
    throw new Refusal('LIMIT_REACHED', { message: `You may save ${viewsMax} views: forget one first` })
  const shared = [...others.filter(isShared), ...othersOf(membership, member.personId)]
  if (wanted && shared.length >= sharedMax)
    throw new Refusal('LIMIT_REACHED', { message: `Members may share ${sharedMax} views: forget a shared one first` })
  return { ...member, views: [...others, { name, query, ...(wanted && { isShared: wanted }) }] }
}

/** Forgets a view that others share. All members have it in common, and its author may be away. */
async function forgetShared({ memberships }: SessionPorts, { organization, person }: MemberSession, view: SavedView) {
  const isIt = (each: SavedView): boolean => isShared(each) && each.name === view.name && each.query === view.query
  const changed = (member: Member): Member =>
    member.personId !== person.id && viewsOf(member).some(isIt)
      ? { ...member, views: viewsOf(member).filter((each) => !isIt(each)) }
      : member
  const saved = await rewrite(
    memberships,
    organization.id,
    (current) => current && { ...current, members: current.members.map(changed) },
  )
  const own = saved?.members.find(({ personId }) => personId === person.id)
  if (!saved || !own) throw new Refusal('CHANGED_MEANWHILE')
  return shownTo(own, saved)
}

/** The filters of the list of executions that the signed-in member saved, or that other members share. */
export const savedViewRoutes = (ports: SessionPorts) =>
  new Elysia()
    .use(memberSession(ports, everybody))
    .get('/views', ({ session: { membership, person } }): SavedViewsView => {
      return shownTo(membership.members.find(({ personId }) => personId === person.id)!, membership)
    })
    .put(
      '/views',
      async ({ session, body }): Promise<SavedViewsView> => {
        if (body.isShared) assureRole(session, sharers)
        const own = await rewriteOwn(ports, session, (member, membership) => withView(member, membership, body))
        return shownTo(own, session.membership)
      },
      { body: View },
    )
    .delete('/views', async ({ session, request }): Promise<SavedViewsView> => {
      const { name, sharedQuery } = readQuery(request, Named, true)
      if (sharedQuery !== undefined) {
        assureRole(session, admins)
        return forgetShared(ports, session, { name, query: sharedQuery })
      }
      const without = (member: Member): Member => ({
        ...member,
        views: viewsOf(member).filter((view) => view.name !== name),
      })
      return shownTo(await rewriteOwn(ports, session, without), session.membership)
    })
