import { Elysia } from 'elysia'
import type { Account } from '../../domain/chain/account'
import { depositIdOfExecution } from '../../domain/deposit/deposit-stage'
import { type Sought, soughtIn } from '../../domain/deposit/sought'
import type { Execution } from '../../domain/execution/execution'
import { type } from '../../domain/schema'
import type { DepositFound, DepositQueries, ExecutionQueries } from '../../ports/queries'
import type { Accounts } from '../../ports/tenants'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { everyRole, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Limit } from '../request/page'
import { readQuery } from '../request/query'
import { example } from '../views/examples'
import { described, userIdText } from '../views/scalar'
import { type Matches, SearchView, searchView } from '../views/search'
import { checksummed } from '../views/sent-address'
import type { ViewContextFor } from '../views/view-context'

type SearchPorts = {
  executionQueries: Pick<ExecutionQueries, 'list'>
  depositQueries: DepositQueries
  accounts: Pick<Accounts, 'load' | 'beginningWith' | 'paying'>
  viewContextFor: ViewContextFor
}

/** Limit of users per kind of match. The lists have the rest. */
const usersMax = 5

const Query = type({
  q: described(
    type(/\S/).describe('some text').and(type('string <= 1024').describe('at most 1024 characters')),
    'A hash, address, deposit, execution, route or user, or the link of an explorer page',
    example.depositTxHash,
  ),
  limit: Limit(),
})

type Scope = { organizationId: string | null; limit: number }

const searchDocs = operationDocs({
  operationId: 'search',
  tag: 'Deposits',
  summary: 'Find anything by hash, address, user or id',
  description:
    'Accepts the hash of any transaction, any address (deposit address, sender, recipient), a user, an id, or ' +
    'the link of an explorer page. A missing deposit was not seen: `checked` shows how far each chain was read, ' +
    'and `POST /api/deposits/rescan` reads a transaction now.',
  roles: everyRole.roles,
  query: Query,
  answers: { 200: { view: SearchView, description: 'The result.', headers: ['etag'] } },
  refusals: ['UNKNOWN_PARAMETER'],
})

type FoundRecords = Promise<Partial<Matches>>

const listsOf = ({ depositQueries, executionQueries }: SearchPorts, { organizationId, limit }: Scope) => ({
  deposits: (filter: object) => depositQueries.list({ organizationId, ...filter }, { limit }),
  executions: (filter: object) => executionQueries.list({ organizationId, ...filter }, { limit }),
})

async function ofHash(ports: SearchPorts, scope: Scope, txHash: string): FoundRecords {
  const { deposits, executions } = listsOf(ports, scope)
  const [brought, moved, routed] = await Promise.all([
    deposits({ txHash }),
    executions({ txHash }),
    executions({ routeId: txHash }),
  ])
  return { deposits: brought, executions: [...moved, ...routed] }
}

async function ofAddress(ports: SearchPorts, scope: Scope, text: string): FoundRecords {
  const address = checksummed(text)
  const { deposits, executions } = listsOf(ports, scope)
  const [arrived, sent, received, paid, account, payers] = await Promise.all([
    deposits({ depositAddress: address }),
    deposits({ fromAddress: address }),
    deposits({ targetAddress: address }),
    executions({ targetAddress: address }),
    ports.accounts.load(address),
    ports.accounts.paying(scope, address, usersMax),
  ])
  const isTheirs = account && (scope.organizationId ?? account.organizationId) === account.organizationId
  const users = isTheirs ? [account, ...payers] : payers
  return { deposits: [...arrived, ...sent, ...received], executions: paid, users }
}

async function ofDeposit(ports: SearchPorts, scope: Scope, text: string): FoundRecords {
  const depositId = depositIdOfExecution(text)
  const [deposit, executions] = await Promise.all([
    ports.depositQueries.find(scope, depositId),
    listsOf(ports, scope).executions({ depositId }),
  ])
  return { deposits: deposit ? [deposit] : [], executions }
}

/**
 * Searches any text as a user id, because an integrator can name its users by hashes or addresses. It is searched as
 * typed and in lower case: most systems store e-mails in lower case, and people spell them in capitals.
 */
async function ofUser(ports: SearchPorts, scope: Scope, typed: string): FoundRecords {
  if (!userIdText.allows(typed)) return {}
  const { deposits } = listsOf(ports, scope)
  const spellings = [...new Set([typed, typed.toLowerCase()])]
  const found = await Promise.all(
    spellings.map(async (userId) => ({
      users: await ports.accounts.beginningWith(scope, userId, usersMax),
      deposits: await deposits({ userId }),
    })),
  )
  return { users: found.flatMap(({ users }) => users), deposits: found.flatMap((each) => each.deposits) }
}

const by = { HASH: ofHash, ADDRESS: ofAddress, DEPOSIT: ofDeposit } as const
const find = (ports: SearchPorts, scope: Scope, { kind, text }: Sought, q: string) =>
  Promise.all([...(kind === 'USER' ? [] : [by[kind](ports, scope, text)]), ofUser(ports, scope, q)])

/**
 * Finds deposits, executions and users by any text that names them. Every look-up uses an index and stays within one
 * tenant.
 */
export const search = (ports: SearchPorts, gate: Gate, prefix: string) =>
  new Elysia({ prefix }).use(authenticate(gate, everyRole)).get(
    '/search',
    async ({ caller, request, set }) => {
      const { q, limit } = readQuery(request, Query, true)
      const sought = soughtIn(q)
      const scope = { organizationId: caller.tenant, limit }
      const found = merged(await find(ports, scope, sought, q.trim()), limit)
      return answer({ request, set }, searchView(sought, found, await ports.viewContextFor(caller)))
    },
    searchDocs,
  )

/** Merges matches: each unique and newest first, with the latest execution of each deposit. */
function merged(parts: Partial<Matches>[], limit: number): Matches {
  const deposits = unique(parts.flatMap((part) => part.deposits ?? [])).toSorted(
    (a: DepositFound, b: DepositFound) => b.detectedAt - a.detectedAt,
  )
  const newest = deposits.flatMap(({ execution, newest }) => (execution?.createdAt != null ? [newest!] : []))
  const executions = unique([...parts.flatMap((part) => part.executions ?? []), ...newest]).toSorted(
    (a: Execution, b: Execution) => (b.createdAt ?? 0) - (a.createdAt ?? 0),
  )
  const users: Account[] = unique(parts.flatMap((part) => part.users ?? []))
  return { users, deposits: deposits.slice(0, limit), executions: executions.slice(0, limit) }
}

const unique = <Row extends { id: string }>(rows: Row[]): Row[] => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
]
