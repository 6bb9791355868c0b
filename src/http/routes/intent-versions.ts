import { Elysia } from 'elysia'
import type { Address } from '../../domain/chain/hex'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import { type } from '../../domain/schema'
import { isSealed, type Seals } from '../../domain/seals'
import type { Page } from '../../ports/records'
import type { DepositIntents, IntentHistory } from '../../ports/tenants'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { clientOnly, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { bodyOf, listQuery, pageOf, readListQuery } from '../request/page'
import { IntentVersionView, intentVersionExample, intentVersionView } from '../views/intent-version'
import { UserParams } from '../views/scalar'
import type { Users } from './users'

type Ports = { users: Users; intents: DepositIntents; intentHistory: IntentHistory; seals: Seals }

const Query = type(listQuery)

/** The versions of a user's intent: the current and the former destinations of deposits. */
export const intentVersions = ({ users, intents, intentHistory, seals }: Ports, gate: Gate, prefix: string) =>
  new Elysia({ prefix }).use(authenticate(gate, clientOnly)).get(
    '/users/:userId/deposit-intent/versions',
    async ({ params: { userId }, caller, request, set }) => {
      const { listed } = readListQuery(request, Query, true)
      const id = await users.find(caller.organization, userId)
      const path = `${prefix}/users/${encodeURIComponent(userId)}/deposit-intent/versions`
      const page = await pageOf(
        { request, set },
        { path, filters: {}, listed },
        async (page) => (id === null ? [] : versionsOf({ intents, intentHistory }, id, page)),
        (intent) => ({ createdAt: intent.version, id: intent.id }),
      )
      return answer(
        { request, set },
        bodyOf({ set }, page, (row) => intentVersionView(row, isSealed(seals, row))),
      )
    },
    {
      params: UserParams,
      ...operationDocs({
        operationId: 'listDepositIntentVersions',
        tag: 'Deposit intents',
        summary: 'List the versions of a deposit intent',
        description:
          'The current version, then the replaced versions, newest first. An execution names the version that ' +
          'it follows. If the last listed version is above 1, earlier ones are older than the history.',
        roles: clientOnly.roles,
        query: Query,
        answers: {
          200: {
            rows: IntentVersionView,
            description: 'The versions.',
            example: [intentVersionExample],
            headers: ['etag'],
          },
        },
        refusals: ['INVALID_CURSOR', 'UNKNOWN_PARAMETER'],
      }),
    },
  )

/**
 * Returns the versions, each once. A writer stores the current version in the history before it replaces it, so that
 * version can be in both places.
 */
async function versionsOf(
  { intents, intentHistory }: Pick<Ports, 'intents' | 'intentHistory'>,
  id: Address,
  { limit, after }: Page,
): Promise<DepositIntent[]> {
  if (after) return intentHistory.replaced(id, after.createdAt, limit)
  const intent = await intents.load(id)
  return intent ? [intent, ...(await intentHistory.replaced(id, intent.version, limit - 1))] : []
}
