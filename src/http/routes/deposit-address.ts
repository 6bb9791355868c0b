import { Elysia } from 'elysia'
import type { TokenList } from '../../domain/money/token'
import { type } from '../../domain/schema'
import type { FiguresNow } from '../../ports/prices'
import type { Accounts, DepositIntents } from '../../ports/tenants'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { clientOnly, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Refusal } from '../request/failure'
import { readQuery } from '../request/query'
import { DepositAddressView, depositAddressView } from '../views/deposit-address'
import { UserParams } from '../views/scalar'
import type { RecipientNotices } from './recipient-notices'

type DepositAddressPorts = {
  accounts: Accounts
  intents: DepositIntents
  tokens: TokenList
  figures: FiguresNow
  recipientNotices: RecipientNotices
}

/** The facts to show to a person about to send (extensions 5.3). */
export const depositAddress = (
  { accounts, intents, tokens, figures, recipientNotices }: DepositAddressPorts,
  gate: Gate,
  prefix: string,
) =>
  new Elysia({ prefix }).use(authenticate(gate, clientOnly)).get(
    '/users/:userId/deposit-address',
    async ({ params, caller, request, set }) => {
      readQuery(request, type({}), true)
      const account = await accounts.findByUser(caller.organization.id, params.userId)
      if (!account) throw new Refusal('NO_ACCOUNT')
      const intent = await intents.load(account.id)
      const { sponsoredGas } = caller.terms
      const [now, aboutRecipient] = await Promise.all([figures(), intent ? recipientNotices(intent) : []])
      const addressContext = { tokens, figures: now, sponsoredGas, aboutRecipient }
      return answer({ request, set }, depositAddressView(account, intent, addressContext))
    },
    {
      params: UserParams,
      ...operationDocs({
        operationId: 'getDepositAddress',
        tag: 'Accounts',
        summary: 'Show deposit instructions for a user',
        description:
          'The address, the accepted tokens of each chain with their minimum amounts, and links for wallets. Show them ' +
          'to the person about to send.',
        roles: clientOnly.roles,
        answers: { 200: { view: DepositAddressView, description: 'The instructions.', headers: ['etag'] } },
        refusals: ['NO_ACCOUNT', 'UNKNOWN_PARAMETER'],
      }),
    },
  )
