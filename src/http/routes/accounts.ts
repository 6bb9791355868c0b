import { Elysia } from 'elysia'
import { chains } from '../../domain/chain/chain'
import { changesOf } from '../../domain/tenant/audit'
import type { AuditVerb } from '../../domain/tenant/audit-verb'
import type { IdempotentRequests } from '../../ports/limits'
import type { Accounts } from '../../ports/tenants'
import { operationDocs } from '../openapi/operation-docs'
import { noteVerb } from '../operator/note-verb'
import type { OperatorPorts } from '../operator/ports'
import { authorOf } from '../operator/request-context'
import { authenticate } from '../request/authenticate'
import { type Caller, clientOnly, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Refusal } from '../request/failure'
import { type Answer, idempotent } from '../request/idempotent'
import {
  AccountCreatedView,
  AccountRequest,
  AccountView,
  accountCreatedExample,
  accountCreatedView,
  accountExample,
  accountView,
} from '../views/account'
import { UserParams } from '../views/scalar'
import type { Users } from './users'

type AccountPorts = {
  accounts: Accounts
  users: Users
  operator: Pick<OperatorPorts, 'auditLog' | 'newId'>
  idempotency: IdempotentRequests
  now: () => number
}

/** Deposit addresses (interface 4.4, 4.5; decisions 4, 8, 9, 10, 11). */
export const accounts = (ports: AccountPorts, gate: Gate, prefix: string) =>
  new Elysia({ prefix })
    .use(authenticate(gate, clientOnly))
    .post(
      '/accounts',
      async ({ body, caller, request, route, set }) =>
        idempotent(ports.idempotency, ports.now, { request, path: route, set }, { caller, body: picked(body) }, () =>
          provision(ports, caller, authorOf(caller, set), picked(body)),
        ),
      {
        body: AccountRequest,
        ...operationDocs({
          operationId: 'createAccount',
          tag: 'Accounts',
          summary: 'Provision the account of a user',
          description:
            'Most integrations do not need this, because creating a deposit intent provisions the account. A ' +
            'repeated call returns the same account and updates its label.',
          roles: clientOnly.roles,
          bodyExample: { ownerAddress: 'user-1', chainKey: 'base', label: 'Alice' },
          isMutation: true,
          answers: { 201: { view: AccountCreatedView, description: 'The account.', example: accountCreatedExample } },
          refusals: ['CHAINS_UNVERIFIED'],
        }),
      },
    )
    .get(
      '/users/:userId/account',
      async ({ params, caller, request, set }) => {
        const account = await ports.accounts.findByUser(caller.organization.id, params.userId)
        if (!account) throw new Refusal('NO_ACCOUNT')
        return answer({ request, set }, accountView(account))
      },
      {
        params: UserParams,
        ...operationDocs({
          operationId: 'getAccount',
          tag: 'Accounts',
          summary: 'Show the account of a user',
          description: 'The deposit address and the chains on which it can receive.',
          roles: clientOnly.roles,
          answers: {
            200: { view: AccountView, description: 'The account.', example: accountExample, headers: ['etag'] },
          },
          refusals: ['NO_ACCOUNT'],
        }),
      },
    )

type Picked = Required<Pick<AccountRequest, 'ownerAddress' | 'chainKey'>> & { label: string | null }

const picked = ({ ownerAddress, chainKey, label }: AccountRequest): Picked => ({
  ownerAddress,
  chainKey,
  label: label ?? null,
})

async function provision(
  { users, operator, now }: AccountPorts,
  caller: Caller,
  by: ReturnType<typeof authorOf>,
  { ownerAddress: userId, chainKey, label }: Picked,
): Promise<Answer> {
  const { organization } = caller
  const note = (verb: AuditVerb, target: string, details: object) =>
    noteVerb(operator, caller, by, { verb, target, at: now(), details })
  if (!(await users.find(organization, userId)))
    await note('account.create', users.addressOf(organization, userId), { userId, label })
  const account = await users.provision({ organization, userId, canonicalChainId: chains[chainKey].id, label })
  if (label !== null && label !== account.label) await note('account.edit', account.id, changesOf(account, { label }))
  const labelled = label === null ? account : await users.relabel(account, label)
  return { status: 201, view: accountCreatedView(labelled) }
}
