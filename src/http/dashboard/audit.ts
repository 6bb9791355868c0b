import { Elysia } from 'elysia'
import { cursorOf, placeOf } from '../page'
import type { MemberPorts } from './ports'
import { operators, seated } from './seat'

const pageMax = 50

/** Who did what in the organization, newest first. */
export const auditRoutes = (ports: MemberPorts) =>
  new Elysia().use(seated(ports, operators)).get('/audit', async ({ seat, query }) => {
    const verb = query['verb'] || undefined
    const filter = `audit ${seat.organization.id} ${verb ?? ''}`
    const after = query['cursor'] ? placeOf(String(query['cursor']), filter) : undefined
    const organizationId = seat.organization.id
    const found = await ports.auditLog.list({ organizationId, verb }, { limit: pageMax + 1, after })
    const shown = found.slice(0, pageMax)
    const last = shown.at(-1)
    return {
      entries: shown.map(({ at, organizationId: _, ...entry }) => ({ ...entry, at: new Date(at).toISOString() })),
      next: found.length > pageMax && last ? cursorOf({ createdAt: last.at, id: last.id }, filter) : null,
    }
  })
