import { Elysia } from 'elysia'
import type { DepositQueries, DepositRecord } from '../../../ports/queries'
import { payerAnswerOf, sentenceOf } from '../../pay/pay-state'
import { Refusal } from '../../request/failure'
import type { ViewContextFor } from '../../views/view-context'
import { everybody, memberSession, type SessionPorts, tenantOf } from '../member-session'

type Deposits = { depositQueries: Pick<DepositQueries, 'find'> }

/** A sentence for the payer of a deposit, and whether a link that shows the deposit can be created. */
export type PayerAnswerView = { sentence: string; hasPage: boolean }

/** @throws {Refusal} DEPOSIT_NOT_FOUND */
export async function depositFor(
  { depositQueries }: Deposits,
  organizationId: string | null,
  id: string,
): Promise<DepositRecord> {
  const depositRecord = await depositQueries.find({ organizationId }, id)
  if (!depositRecord) throw new Refusal('DEPOSIT_NOT_FOUND')
  return depositRecord
}

/** What support tells the payer of a deposit, in plain words. */
export const answerRoute = (ports: SessionPorts & Deposits & { viewContextFor: ViewContextFor }) =>
  new Elysia()
    .use(memberSession(ports, everybody))
    .get('/deposits/:id/answer', async ({ session, params: { id } }): Promise<PayerAnswerView> => {
      const { organization } = session
      const tenant = tenantOf(session)
      const depositRecord = await depositFor(ports, tenant, id)
      const isOwn = (depositRecord.execution ?? depositRecord.sighting!).organizationId === organization.id
      const answer = payerAnswerOf(depositRecord, await ports.viewContextFor({ tenant }), null)
      return { sentence: sentenceOf(answer), hasPage: isOwn && Boolean(organization.depositPage) }
    })
