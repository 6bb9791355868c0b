import { Elysia } from 'elysia'
import type { Account } from '../../domain/chain/account'
import { depositIdOfExecution } from '../../domain/deposit/deposit-stage'
import { hashPartIn } from '../../domain/deposit/hash-part'
import { parseSearchAmount, parseSearchText, type SearchText } from '../../domain/deposit/search-text'
import type { Execution } from '../../domain/execution/execution'
import type { TokenList } from '../../domain/money/token'
import { type } from '../../domain/schema'
import type { DepositQueries, DepositRecord, ExecutionQueries } from '../../ports/queries'
import type { Accounts } from '../../ports/tenants'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { everyRole, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Limit } from '../request/page'
import { readQuery } from '../request/query'
import { checksummed } from '../views/address-parameter'
import { example } from '../views/examples'
import { described, userIdText } from '../views/scalar'
import { type Matches, SearchView, searchView } from '../views/search'
import type { ViewContextFor } from '../views/view-context'

type SearchPorts = {
  executionQueries: Pick<ExecutionQueries, 'list'>
  depositQueries: DepositQueries
  accounts: Pick<Accounts, 'load' | 'beginningWith' | 'withPart' | 'paying'>
  tokens: TokenList
  viewContextFor: ViewContextFor
}

/** Limit of users per kind of match. The lists have the rest. */
const usersMax = 5

const Query = type({
  q: described(
    type(/\S/).describe('some text').and(type('string <= 1024').describe('at most 1024 characters')),
    'A hash, address, deposit, execution, route, user or amount, or the link of an explorer page',
    example.depositTxHash,
  ),
  limit: Limit(),
})

type Scope = { organizationId: string | null; limit: number }

const searchDocs = operationDocs({
  operationId: 'search',
  tag: 'Deposits',
  summary: 'Find anything by hash, address, user, amount or id',
  description:
    'Accepts the hash of any transaction, any address (deposit address, sender, recipient), a user, an id, an amount ' +
    'such as `500` or `25.5 USDC`, or the link of an explorer page. Case is ignored in the id of a user, and `q` may ' +
    'begin any of its words. Six digits and more begin the hash of a transaction, as in `0x8224a1…1b9d`. A missing ' +
    'deposit was not seen: `checked` shows how far each chain was read, and `POST /api/deposits/rescan` reads a ' +
    'transaction now.',
  roles: everyRole.roles,
  query: Query,
  answers: { 200: { view: SearchView, description: 'The result.', headers: ['etag'] } },
  refusals: ['UNKNOWN_PARAMETER'],
})

type SearchRecords = Promise<Partial<Matches>>

const listsOf = ({ depositQueries, executionQueries }: SearchPorts, { organizationId, limit }: Scope) => ({
  deposits: (filter: object) => depositQueries.list({ organizationId, ...filter }, { limit }),
  executions: (filter: object) => executionQueries.list({ organizationId, ...filter }, { limit }),
})

async function ofHash(ports: SearchPorts, scope: Scope, txHash: string): SearchRecords {
  const { deposits, executions } = listsOf(ports, scope)
  const [brought, moved, routed] = await Promise.all([
    deposits({ txHash }),
    executions({ txHash }),
    executions({ routeId: txHash }),
  ])
  return { deposits: brought, executions: [...moved, ...routed] }
}

async function ofAddress(ports: SearchPorts, scope: Scope, text: string): SearchRecords {
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

async function ofDeposit(ports: SearchPorts, scope: Scope, text: string): SearchRecords {
  const depositId = depositIdOfExecution(text)
  const [deposit, executions] = await Promise.all([
    ports.depositQueries.find(scope, depositId),
    listsOf(ports, scope).executions({ depositId }),
  ])
  return { deposits: deposit ? [deposit] : [], executions }
}

/**
 * Searches any text as a user id, because an integrator can name its users by hashes or addresses. Case is ignored, and
 * the text may begin any word of the id. An id that begins with the text comes first.
 */
async function ofUser(ports: SearchPorts, scope: Scope, typed: string): SearchRecords {
  if (!userIdText.allows(typed)) return {}
  const { deposits } = listsOf(ports, scope)
  const lower = typed.toLowerCase()
  const spellings = [...new Set([typed, lower])]
  const [begun, containing] = await Promise.all([
    Promise.all(spellings.map((userId) => ports.accounts.beginningWith(scope, userId, usersMax))),
    ports.accounts.withPart(scope, lower, usersMax),
  ])
  const users = unique([...begun.flat(), ...containing]).toSorted((a, b) => rankOf(b, lower) - rankOf(a, lower))
  const exact = users.flatMap(({ userId }) => (userId.toLowerCase() === lower ? [userId] : []))
  const ids = [...new Set([...spellings, ...exact])]
  const matches = await Promise.all(ids.map((userId) => deposits({ userId })))
  return { users: users.slice(0, usersMax), deposits: matches.flat() }
}
/** Ranks matches: the text itself, then ids that begin with it, then ids with a word that begins with it. */
const rankOf = ({ userId }: Account, lower: string): number =>
  userId.toLowerCase() === lower ? 2 : userId.toLowerCase().startsWith(lower) ? 1 : 0

/** The stages of a deposit without an execution in the lists. */
const unrouted = ['CONFIRMING', 'WAITING_FOR_INTENT', 'QUEUED', 'PAUSED', 'ROUTING', 'ORPHANED'] as const

/** Searches a text such as `500` or `25.5 USDC` as the deposited amount. Deposits that are not routed are found too. */
async function ofAmount(ports: SearchPorts, scope: Scope, q: string): SearchRecords {
  const parsed = parseSearchAmount(q, ports.tokens.all)
  if (!parsed) return {}
  const { amountsRaw, symbol } = parsed
  const { deposits, executions } = listsOf(ports, scope)
  const [waiting, routed] = await Promise.all([
    deposits({ amountsRaw, stage: unrouted }),
    executions({ amountsRaw, ...(symbol && { fromTokenSymbol: symbol }) }),
  ])
  const symbolOf = ({ execution, sighting }: DepositRecord): string | undefined => {
    const { chainId, token } = execution?.deposit ?? sighting!
    return ports.tokens.find(chainId, token)?.symbol ?? execution?.deposit.symbol
  }
  return { executions: routed, deposits: waiting.filter((each) => symbol === null || symbolOf(each) === symbol) }
}

/** Searches a shortened hash or id, as pages show it. */
async function ofHashPart(ports: SearchPorts, scope: Scope, q: string): SearchRecords {
  const hashPart = hashPartIn(q)
  if (!hashPart) return {}
  const { deposits, executions } = listsOf(ports, scope)
  const stage = [...unrouted, 'UNSUPPORTED']
  const [waiting, routed] = await Promise.all([deposits({ hashPart, stage }), executions({ hashPart })])
  return { executions: routed, deposits: waiting }
}

/** No text is both an amount and a shortened hash. */
const ofText = async (ports: SearchPorts, scope: Scope, q: string): SearchRecords => ({
  ...(await ofAmount(ports, scope, q)),
  ...(await ofHashPart(ports, scope, q)),
})

const by = { HASH: ofHash, ADDRESS: ofAddress, DEPOSIT: ofDeposit } as const
const find = (ports: SearchPorts, scope: Scope, { kind, text }: SearchText, q: string) =>
  Promise.all([kind === 'USER' ? ofText(ports, scope, q) : by[kind](ports, scope, text), ofUser(ports, scope, q)])

/**
 * Finds deposits, executions and users by any text that names them. Every look-up uses an index and stays within one
 * tenant.
 */
export const search = (ports: SearchPorts, gate: Gate, prefix: string) =>
  new Elysia({ prefix }).use(authenticate(gate, everyRole)).get(
    '/search',
    async ({ caller, request, set }) => {
      const { q, limit } = readQuery(request, Query, true)
      const parsed = parseSearchText(q)
      const scope = { organizationId: caller.tenant, limit }
      const matches = merged(await find(ports, scope, parsed, q.trim()), limit)
      return answer({ request, set }, searchView(parsed, matches, await ports.viewContextFor(caller)))
    },
    searchDocs,
  )

/** Merges matches: each unique and newest first, with the latest execution of each deposit. */
function merged(matches: Partial<Matches>[], limit: number): Matches {
  const deposits = unique(matches.flatMap((one) => one.deposits ?? [])).toSorted(
    (a: DepositRecord, b: DepositRecord) => b.detectedAt - a.detectedAt,
  )
  const newest = deposits.flatMap(({ execution, newest }) => (execution?.createdAt != null ? [newest!] : []))
  const executions = unique([...matches.flatMap((one) => one.executions ?? []), ...newest]).toSorted(
    (a: Execution, b: Execution) => (b.createdAt ?? 0) - (a.createdAt ?? 0),
  )
  const users: Account[] = unique(matches.flatMap((one) => one.users ?? []))
  return { users, deposits: deposits.slice(0, limit), executions: executions.slice(0, limit) }
}

const unique = <Row extends { id: string }>(rows: Row[]): Row[] => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
]
