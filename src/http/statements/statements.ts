import { Elysia } from 'elysia'
import { dateOf, dayOf, monthOf } from '../../domain/calendar'
import { statementOf } from '../../domain/money/statement'
import { csvOf } from '../../domain/plain-text'
import { type } from '../../domain/schema'
import type { LedgerQueries } from '../../ports/limits'
import type { DepositQueries } from '../../ports/queries'
import type { Organizations } from '../../ports/tenants'
import { operationDocs } from '../openapi/operation-docs'
import { assurePlatform } from '../operator/access'
import { authenticate } from '../request/authenticate'
import { type Caller, everyRole, type Gate } from '../request/caller'
import { Refusal } from '../request/failure'
import { readQuery } from '../request/query'
import { DayFilter, IdFilter } from '../views/filter'
import type { FindToken } from '../views/find-token'
import { described, isoTime } from '../views/scalar'
import { StatementView, statementRowView, totalsView } from './views'

type StatementPorts = {
  ledger: LedgerQueries
  depositQueries: Pick<DepositQueries, 'list'>
  organizations: Pick<Organizations, 'load'>
  findToken: FindToken
  now: () => number
}

type Sums = ReturnType<ReturnType<typeof statementOf>['sums']>

/** Longest delay between the time of a fact and its storage. */
const storedLateMs = 5 * 60_000
const dayMs = 86_400_000

const Query = type({
  'month?': described(
    type(/^\d{4}-(0[1-9]|1[0-2])$/).describe('a month such as 2026-11'),
    'The month, in UTC; by default the current one, unless `from` and `to` name days',
    '2026-11',
  ),
  'from?': DayFilter('The first day, in UTC', '2026-11-03'),
  'to?': DayFilter('The last day, in UTC', '2026-11-09'),
  'format?': described(
    type.enumerated('json', 'csv').describe('json or csv'),
    'Format of the response; by default the one that `accept` names',
    'json',
  ),
  'apiKeyId?': IdFilter('Only deposits of this key’s intents', 'key_9fT2'),
  'organizationId?': IdFilter('For the platform’s operators: another organization', 'org_1'),
})

const access = { ...everyRole, rateClass: 'X' } as const

const getStatementDocs = operationDocs({
  operationId: 'getStatement',
  tag: 'Service',
  summary: 'A statement of a month or of days',
  description:
    'By chain and token: opening balance of the deposit accounts, movements and closing balance, to the atomic unit: `opening` + ' +
    '`received` + `returned` + `corrected` = `protocolFee` + `gasFee` + `routed` + `closing`. A delivery counts in ' +
    'the month and at the price of its arrival. The books of a month are closed once `isClosed` is true: it is final, ' +
    'and each of its deposits has ended, even if that happened in a later month. CSV has the same rows.',
  roles: access.roles,
  rateClass: access.rateClass,
  query: Query,
  answers: { 200: { view: StatementView, description: 'The statement.' } },
  fileTypes: ['text/csv'],
  refusals: ['UNKNOWN_PARAMETER'],
})

type Period = { month: string; from: number; to: number; asOf: number }

type PeriodQuery = { month?: string | undefined; from?: number | undefined; to?: number | undefined }

const refused = (message: string) => new Refusal('VALIDATION_FAILED', { message })

/** Returns a month, or the days of a range with its last day. */
function periodOf({ month: named, from, to }: PeriodQuery, now: number): Period {
  const isOfDays = from !== undefined || to !== undefined
  const month = named ?? (isOfDays ? undefined : dateOf(now).slice(0, 7))
  if (month !== undefined) {
    if (isOfDays) throw refused('month excludes from and to')
    const begin = dayOf(`${month}-01`)!
    if (begin > now) throw refused('month must be the present month or an earlier one')
    const end = monthOf(begin, 1)
    return { month, from: begin, to: end, asOf: Math.min(now, end) }
  }
  if (from === undefined || to === undefined) throw refused('from and to are required together')
  if (from > now || to < from) throw refused('from must be today or earlier, and to the same day or later')
  const end = to + dayMs
  return { month: `${dateOf(from)}/${dateOf(to)}`, from, to: end, asOf: Math.min(now, end) }
}

/** Statements of an organization (extensions 10.5). */
export function statements(ports: StatementPorts, gate: Gate, prefix: string) {
  async function subjectOf({ organization, tenant }: Caller, named: string | undefined): Promise<string> {
    if (named === undefined) return organization.id
    assurePlatform({ tenant })
    if (await ports.organizations.load(named)) return named
    throw new Refusal('VALIDATION_FAILED', { message: 'organizationId names no organization' })
  }

  async function sumsOf(organizationId: string, { from, asOf }: Period, apiKeyId: string | undefined): Promise<Sums> {
    const statement = statementOf({ from, to: asOf, apiKeyId })
    for await (const record of ports.ledger.records(organizationId, asOf)) statement.add(record)
    return statement.sums()
  }

  /** Whether every deposit of the month has been confirmed or dropped, and every fact is stored. */
  async function isFinal(organizationId: string, { to }: Period): Promise<boolean> {
    if (ports.now() < to + storedLateMs) return false
    const unconfirmed = { organizationId, stage: ['CONFIRMING'] as const, createdTo: to }
    return (await ports.depositQueries.list(unconfirmed, { limit: 1 })).length === 0
  }

  return new Elysia({ prefix }).use(authenticate(gate, access)).get(
    '/statements',
    async ({ caller, request, set }) => {
      const { format, organizationId, apiKeyId, ...named } = readQuery(request, Query, true)
      const period = periodOf(named, ports.now())
      const { month } = period
      const subject = await subjectOf(caller, organizationId)
      // Checked before the sums. Otherwise a deposit confirmed in between would be missing from a final statement.
      const isOver = await isFinal(subject, period)
      const { rows, unfinishedDeposits, unmatchedDeposits } = await sumsOf(subject, period, apiKeyId)
      const shown = rows.map((row) => statementRowView(row, ports.findToken))
      const about = { month, isFinal: isOver && unmatchedDeposits === 0, asOf: isoTime(period.asOf) }
      const isClosed = about.isFinal && unfinishedDeposits === 0
      set.headers['cache-control'] = 'private, no-cache'
      set.headers['vary'] = 'accept'
      if ((format ?? formIn(request)) === 'csv') {
        set.headers['content-type'] = 'text/csv; charset=utf-8'
        set.headers['content-disposition'] = `attachment; filename="statement-${month.replace('/', '_')}.csv"`
        return `${csvOf([columns, ...shown.map((row) => Object.values({ ...about, ...row }))])}\r\n`
      }
      const { isFinal: final, asOf } = about
      const [from, to] = [isoTime(period.from), isoTime(period.to)]
      return {
        ...{ month, apiKeyId: apiKeyId ?? null, from, to, isFinal: final, isClosed, unfinishedDeposits, asOf },
        ...{ rows: shown, totals: totalsView(rows) },
      }
    },
    getStatementDocs,
  )
}

const formIn = (request: Request): 'json' | 'csv' =>
  /^\s*text\/csv\b/.test(request.headers.get('accept') ?? '') ? 'csv' : 'json'

const columns = [
  ...['month', 'isFinal', 'asOf', 'chainId', 'chainKey', 'tokenAddress', 'tokenSymbol', 'tokenDecimals'],
  ...['opening', 'received', 'returned', 'corrected', 'protocolFee', 'gasFee', 'routed', 'closing'],
  ...['inProgress', 'leftInAccount', 'delivered', 'refunded'],
  ...['deposits', 'deliveries', 'unpricedDeliveries', 'deliveredUsd', 'refunds', 'unpricedRefunds', 'refundedUsd'],
  ...['departures', 'unpricedDepartures', 'volumeUsd'],
  ...['charges', 'unpricedCharges', 'protocolFeeUsd', 'gasFeeUsd'],
]
