import { Elysia } from 'elysia'
import type { StateCount } from '../../ports/queries'
import { type Dwell, dwellsOf } from './dwell'
import type { MemberPorts } from './ports'
import { everybody, seated, tenantOf } from './seat'

const freshMs = 800
const hourMs = 3_600_000
const dwellFreshMs = 15_000
const sampleMax = 400

/** How many executions are in each state, and how long they stay: one's own, for the platform's operators of all. */
export function stateRoutes(ports: MemberPorts) {
  const countOf = kept<StateCount[]>(freshMs, ports.now, (organizationId) =>
    ports.executionQueries.countByState({ organizationId }),
  )
  const dwellOf = kept<Dwell[]>(dwellFreshMs, ports.now, async (organizationId) => {
    const to = ports.now() + 1
    const from = to - hourMs
    const moved = await ports.executionQueries.movedBetween({ organizationId }, from, to, sampleMax)
    return dwellsOf(
      moved.map(({ history }) => history),
      from,
    )
  })

  return new Elysia()
    .use(seated(ports, everybody))
    .get('/states', async ({ seat }) => {
      const states = await countOf(tenantOf(seat))
      return states.map(({ oldestAt, ...row }) => ({ ...row, oldestAt: new Date(oldestAt).toISOString() }))
    })
    .get('/states/dwell', ({ seat }) => dwellOf(tenantOf(seat)))
    .get('/first-steps', async ({ seat }) => ({ hasIntent: await ports.intentHistory.hasAny(seat.organization.id) }))
}

/** The same answer for everybody who asks within a while. */
function kept<Answer>(freshMs: number, now: () => number, find: (organizationId: string | null) => Promise<Answer>) {
  const known = new Map<string | null, { at: number; answer: Promise<Answer> }>()
  return (organizationId: string | null): Promise<Answer> => {
    const last = known.get(organizationId)
    if (last && last.at + freshMs > now()) return last.answer
    const answer = find(organizationId)
    answer.catch(() => known.delete(organizationId))
    known.set(organizationId, { at: now(), answer })
    return answer
  }
}
