import { Elysia } from 'elysia'
import type { StateCount } from '../../ports/queries'
import type { MemberPorts } from './ports'
import { everybody, operators, seated } from './seat'

const freshMs = 1_500

/** How many executions are in each state: for every member of its own organization, for the platform's of all. */
export function stateRoutes(ports: MemberPorts) {
  const counted = new Map<string | null, { at: number; states: Promise<StateCount[]> }>()

  function countOf(organizationId: string | null): Promise<StateCount[]> {
    const known = counted.get(organizationId)
    if (known && known.at + freshMs > ports.now()) return known.states
    const states = ports.executionQueries.countByState({ organizationId })
    states.catch(() => counted.delete(organizationId))
    counted.set(organizationId, { at: ports.now(), states })
    return states
  }

  return new Elysia().use(seated(ports, everybody)).get('/states', async ({ seat }) => {
    const seesAll = seat.organization.isPlatform && (operators as readonly string[]).includes(seat.role)
    const states = await countOf(seesAll ? null : seat.organization.id)
    return states.map(({ oldestAt, ...row }) => ({ ...row, oldestAt: new Date(oldestAt).toISOString() }))
  })
}
