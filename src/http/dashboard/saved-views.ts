import { Elysia } from 'elysia'
import { type } from '../../domain/schema'
import type { Member, Membership, SavedView } from '../../ports/people'
import { Refusal } from '../request/failure'
import { readQuery } from '../request/query'
import { described } from '../views/scalar'
import {
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
const Named = type({ name: described(Name, 'The name', 'Stuck on Base') })

type Shown = { name: string; query: string; isShared: boolean; isOwn: boolean }
export type SavedViewsView = readonly Shown[]

const isShared = (view: SavedView): boolean => view.isShared ?? false
const viewsOf = ({ views = [] }: Member): readonly SavedView[] => views
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

function assureMayShare({ role }: MemberSession): void {
  if (!(operators as readonly string[]).includes(role)) throw new Refusal('INSUFFICIENT_PERMISSIONS')
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
        if (body.isShared) assureMayShare(session)
        const own = await rewriteOwn(ports, session, (member, membership) => withView(member, membership, body))
        return shownTo(own, session.membership)
      },
      { body: View },
    )
    .delete('/views', async ({ session, request }): Promise<SavedViewsView> => {
      const { name } = readQuery(request, Named, true)
      const without = (member: Member): Member => ({
        ...member,
        views: viewsOf(member).filter((view) => view.name !== name),
      })
      return shownTo(await rewriteOwn(ports, session, without), session.membership)
    })
