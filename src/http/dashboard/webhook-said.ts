import { Elysia } from 'elysia'
import { Refusal } from '../failure'
import type { MemberPorts } from './ports'
import { everybody, seated, tenantOf } from './seat'

/** What a webhook said of a deposit, as text that nobody interprets: for whoever may see the deposit. */
export const webhookSaidRoutes = (ports: MemberPorts) =>
  new Elysia().use(seated(ports, everybody)).get('/deposits/:id/webhook', async ({ seat, params: { id } }) => {
    const found = await ports.depositQueries.find({ organizationId: tenantOf(seat) }, id)
    if (!found) throw new Refusal('DEPOSIT_NOT_FOUND')
    const { organizationId } = found.execution ?? found.sighting!
    const { account } = found.execution?.deposit ?? found.sighting!
    const said = await ports.inboundWebhooks.find(organizationId, account, id)
    return { webhook: said && { receivedAt: new Date(said.at).toISOString(), text: said.text } }
  })
