import { Elysia } from 'elysia'
import { type } from '../../domain/schema'
import type { DepositQueries, ExecutionQueries } from '../../ports/queries'
import type { Page, PagePosition } from '../../ports/records'
import type { ApiKeys } from '../../ports/tenants'
import { authenticate } from '../request/authenticate'
import { type Caller, everyRole } from '../request/caller'
import type { CountIn } from '../request/limits'
import { Order } from '../request/page'
import { readQuery } from '../request/query'
import { partTimeoutS, textStream } from '../request/text-stream'
import { depositFilter, positionOfDeposit } from '../routes/deposits'
import { memberFilter } from '../routes/execution-lookup'
import { positionOfExecution } from '../routes/executions'
import { depositView } from '../views/deposit'
import { fullExecutionView } from '../views/execution-full'
import { withTokenAddress } from '../views/filter'
import type { ViewContextFor } from '../views/view-context'
import { memberGate } from './member-gate'
import type { SessionPorts } from './member-session'

type Ports = SessionPorts & {
  executionQueries: Pick<ExecutionQueries, 'list'>
  depositQueries: Pick<DepositQueries, 'list'>
  viewContextFor: ViewContextFor
  apiKeys: ApiKeys
  countIn: CountIn
}

const ExecutionsQuery = type({ ...memberFilter, 'order?': Order })
const DepositsQuery = type({ ...depositFilter, 'order?': Order })

const pageSize = 500
const lineOf = (row: object): string => `${JSON.stringify(row)}\n`

type Exported<Row> = {
  caller: Caller
  isOldestFirst: boolean
  ask: (page: Page) => Promise<Row[]>
  positionIn: (row: Row) => PagePosition
  /** Returns the rows as the list shows them. */
  shown: (rows: readonly Row[]) => Promise<object[]>
}

/**
 * Yields every row of a list as a line of JSON, and last a line with their number: an export without it was cut off. It
 * is cut off when the session ends.
 */
async function* linesOf<Row>(
  { caller, isOldestFirst, ask, positionIn, shown }: Exported<Row>,
  first: Row[],
): AsyncGenerator<string> {
  let rowCount = 0
  for (let rows = first; ; ) {
    rowCount += rows.length
    if (rows.length > 0) yield (await shown(rows)).map(lineOf).join('')
    if (rows.length < pageSize) break
    if (caller.isAdmitted && !(await caller.isAdmitted())) return
    rows = await ask({ limit: pageSize, after: positionIn(rows.at(-1)!), isOldestFirst })
  }
  yield lineOf({ rowCount })
}

type Server = { timeout(request: Request, seconds: number): void } | null
async function sent<Row>(request: Request, server: Server, exported: Exported<Row>): Promise<Response> {
  server?.timeout(request, partTimeoutS)
  // Read first, so an outage is an error instead of an export that breaks off.
  const first = await exported.ask({ limit: pageSize, isOldestFirst: exported.isOldestFirst })
  return textStream(linesOf(exported, first), {
    'content-type': 'application/x-ndjson; charset=utf-8',
    'cache-control': 'no-store',
  })
}

/** Streams whole lists to the pages, which save them as files: the rows of the lists, without pages. */
export const exportRoutes = (ports: Ports) =>
  new Elysia({ prefix: '/exports' })
    .use(authenticate(memberGate(ports), { ...everyRole, rateClass: 'X' }))
    .get('/executions', ({ caller, request, server }) => {
      const { order, ...filters } = readQuery(request, ExecutionsQuery, true)
      const filter = { organizationId: caller.tenant, ...withTokenAddress(filters) }
      return sent(request, server, {
        caller,
        isOldestFirst: order === 'oldest',
        ask: (page) => ports.executionQueries.list(filter, page),
        positionIn: positionOfExecution,
        shown: async (rows) => {
          const context = await ports.viewContextFor(caller)
          return rows.map((row) => fullExecutionView(row, context))
        },
      })
    })
    .get('/deposits', ({ caller, request, server }) => {
      const { order, ...filters } = readQuery(request, DepositsQuery, true)
      const filter = { organizationId: caller.tenant, ...withTokenAddress(filters) }
      return sent(request, server, {
        caller,
        isOldestFirst: order === 'oldest',
        ask: (page) => ports.depositQueries.list(filter, page),
        positionIn: positionOfDeposit,
        shown: async (rows) => {
          const context = await ports.viewContextFor(caller)
          return rows.map((row) => depositView(row, context))
        },
      })
    })
