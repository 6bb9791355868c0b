import { Elysia } from 'elysia'
import { type } from '../../domain/schema'
import type { Member, SavedView } from '../../ports/people'
import { Refusal } from '../request/failure'
import { readQuery } from '../request/query'
import { described } from '../views/scalar'
import { everybody, memberSession, rewriteOwn, type SessionPorts } from './member-session'

/** Every request of a member reads the membership, so it stays small. */
const viewsMax = 20

const Name = type(/^[^\p{Cc}\p{Cs}]{1,32}$/u).describe('1 to 32 characters, none a control character')
const View = type({ name: Name, query: type('string <= 600').describe('at most 600 characters') })
const Named = type({ name: described(Name, 'The name', 'Stuck on Base') })

export type SavedViewsView = readonly SavedView[]

function withView({ views = [], ...member }: Member, view: SavedView): Member {
  const others = views.filter(({ name }) => name !== view.name)
  if (others.length >= viewsMax)
    throw new Refusal('LIMIT_REACHED', { message: `You may save ${viewsMax} views: forget one first` })
  return { ...member, views: [...others, view] }
}

/** The filters of the list of executions that the signed-in member saved in the selected organization. */
export const savedViewRoutes = (ports: SessionPorts) =>
  new Elysia()
    .use(memberSession(ports, everybody))
    .get('/views', ({ session: { membership, person } }): SavedViewsView => {
      return membership.members.find(({ personId }) => personId === person.id)?.views ?? []
    })
    .put(
      '/views',
      async ({ session, body }): Promise<SavedViewsView> => {
        return (await rewriteOwn(ports, session, (member) => withView(member, body))).views ?? []
      },
      { body: View },
    )
    .delete('/views', async ({ session, request }): Promise<SavedViewsView> => {
      const { name } = readQuery(request, Named, true)
      const without = ({ views = [], ...member }: Member): Member => ({
        ...member,
        views: views.filter((view) => view.name !== name),
      })
      return (await rewriteOwn(ports, session, without)).views ?? []
    })
