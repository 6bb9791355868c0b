import { Elysia } from 'elysia'
import { zeroAddress } from '../../domain/chain/hex'
import type { InboundWebhook, InboundWebhooks } from '../../ports/detection'
import type { DepositQueries, DepositRecord } from '../../ports/queries'
import { Refusal } from '../request/failure'
import { isoTime } from '../views/scalar'
import { everybody, memberSession, type SessionPorts, tenantOf } from './member-session'

type InboundPorts = SessionPorts & {
  depositQueries: DepositQueries
  inboundWebhooks: InboundWebhooks
}

/** Limit of webhooks shown for a deposit. A deposit of native coin can consist of several payments. */
const coinsMax = 10

const webhookView = ({ at, text }: InboundWebhook) => ({ receivedAt: isoTime(at), text })
export type InboundWebhookView = ReturnType<typeof webhookView>

/** Serves the webhooks about a deposit, as uninterpreted text, to every member who can see the deposit. */
export const inboundWebhookRoutes = (ports: InboundPorts) =>
  new Elysia()
    .use(memberSession(ports, everybody))
    .get('/deposits/:id/webhooks', async ({ session, params: { id } }) => {
      const depositRecord = await ports.depositQueries.find({ organizationId: tenantOf(session) }, id)
      if (!depositRecord) throw new Refusal('DEPOSIT_NOT_FOUND')
      const webhooks = await webhooksOf(ports, depositRecord)
      return webhooks.map(webhookView)
    })

async function webhooksOf(
  { depositQueries, inboundWebhooks }: InboundPorts,
  depositRecord: DepositRecord,
): Promise<InboundWebhook[]> {
  const { id, detectedAt, execution, sighting } = depositRecord
  const { organizationId } = execution ?? sighting!
  const { account, chainId, token, txHash, block } = execution?.deposit ?? sighting!
  if (txHash !== null || token !== zeroAddress) {
    const webhook = await inboundWebhooks.find(organizationId, account, id)
    return webhook ? [webhook] : []
  }
  // The deposit is a difference of balances, so it covers every payment since the previous measurement.
  const filter = { organizationId, depositAddress: account, fromChainId: chainId, fromTokenAddress: token }
  const [before] = await depositQueries.list(filter, { limit: 1, after: { createdAt: detectedAt, id } })
  const after = before?.execution?.deposit.block ?? -1
  return inboundWebhooks.ofCoin(organizationId, { account, chainId, after, to: block }, coinsMax)
}
