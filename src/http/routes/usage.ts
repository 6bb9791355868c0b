import { Elysia } from 'elysia'
import { dateOf, dayCount, dayOf, monthOf } from '../../domain/calendar'
import { quotaKeyOf } from '../../domain/execution/execution'
import { type, view } from '../../domain/schema'
import { planOf } from '../../domain/tenant/organization'
import type { Executions } from '../../ports/executions'
import type { RequestLog, UsageQueries, WorthOf } from '../../ports/limits'
import type { ApiKeys, Organizations } from '../../ports/tenants'
import { operationDocs } from '../openapi/operation-docs'
import { assurePlatform } from '../operator/access'
import { authenticate } from '../request/authenticate'
import { type Caller, everyRole, type Gate } from '../request/caller'
import { Refusal } from '../request/failure'
import { readQuery } from '../request/query'
import { DayFilter, IdFilter } from '../views/filter'
import { Count, calendarDate, described, Text, TextOrNull } from '../views/scalar'
import { inUsd, pricedBy, QuotaView, quotaView, usageDays } from '../views/usage-days'

type UsagePorts = {
  usage: UsageQueries
  requestLog: Pick<RequestLog, 'counts'>
  worth: WorthOf
  apiKeys: Pick<ApiKeys, 'load' | 'ofOrganization'>
  organizations: Pick<Organizations, 'load'>
  executions: Pick<Executions, 'countQuota'>
  now: () => number
}

const daysMax = 92

const Day = (description: string, example: string) => described(calendarDate, description, example)

export const UsageDayView = view({
  date: Day('The day', '2026-11-21'),
  apiKeyId: TextOrNull('Key of the requests or of the intent; null for deposits without one', 'key_9fT2'),
  apiKeyLabel: TextOrNull('Label of the key', 'production'),
  requests: Count('Requests with the key', 5120),
  requestErrors: Count('Requests answered with 400 or more', 14),
  deposits: Count('Deposits first seen', 40),
  executions: Count('Executions begun', 38),
  succeeded: Count('Executions that ended in SUCCESS', 36),
  failed: Count('Executions that ended in another status', 1),
  active: Count('Executions that have not ended', 1),
  volumeUsd: Text('Volume of the successful executions', '91240.10'),
  protocolFeeUsd: Text('Protocol fees collected', '456.20'),
  protocolFeeForgivenUsd: Text('Protocol fees forgiven', '0.00'),
  gasFeeUsd: Text('Gas fees collected', '3.11'),
  sponsoredGasUsd: Text('Gas paid by the platform', '0.00'),
})

export const UsageView = view({
  from: Day('First day', '2026-11-01'),
  to: Day('Last day', '2026-11-21'),
  quota: described(QuotaView, 'The quota of this month'),
  days: described(UsageDayView.array(), 'By day and key, oldest first; a day without traffic has no row'),
})

const Query = type({
  'from?': DayFilter('First day; by default the first of the month of `to`', '2026-11-01'),
  'to?': DayFilter('Last day; by default today', '2026-11-21'),
  'apiKeyId?': IdFilter('Only this key', 'key_9fT2'),
  'organizationId?': IdFilter('For the platform’s operators: only this organization', 'org_1'),
})

/** Turns the requested days, in milliseconds since 1970, into calendar dates, and refuses a span above `daysMax`. */
export function spanOf({ from, to }: { from?: number | undefined; to?: number | undefined }, now: number) {
  const last = to ?? dayOf(dateOf(now))!
  const first = from ?? monthOf(last)
  const days = dayCount(first, last)
  if (days < 1 || days > daysMax)
    throw new Refusal('VALIDATION_FAILED', { message: `from and to must span 1 to ${daysMax} days` })
  return { from: dateOf(first), to: dateOf(last) }
}

/** The usage of an organization, by day and key (extensions 10.2). */
export function usage(ports: UsagePorts, gate: Gate, prefix: string) {
  const { now, apiKeys } = ports

  /**
   * Returns the organization to report on: the caller's or, for the platform's operators, the named one. A null tenant
   * means all.
   */
  async function subjectOf({ organization, tenant }: Caller, named: string | undefined) {
    if (named === undefined) return { organization, tenant }
    assurePlatform({ tenant })
    const subject = await ports.organizations.load(named)
    if (!subject)
      throw new Refusal('VALIDATION_FAILED', { message: 'organizationId must name an existing organization' })
    return { organization: subject, tenant: subject.id }
  }

  return new Elysia({ prefix }).use(authenticate(gate, everyRole)).get(
    '/usage',
    async ({ caller, request, set }) => {
      const { apiKeyId, organizationId, ...span } = readQuery(request, Query, true)
      const { from, to } = spanOf(span, now())
      const { organization, tenant } = await subjectOf(caller, organizationId)
      const own = tenant === null ? null : await apiKeys.ofOrganization(tenant)
      const isRequested = (id: string) => apiKeyId === undefined || id === apiKeyId
      const keyIds = own ? own.map(({ id }) => id).filter(isRequested) : apiKeyId === undefined ? null : [apiKeyId]
      const [rows, deposits, requests, used] = await Promise.all([
        ports.usage.rows(tenant, from, to, apiKeyId),
        ports.usage.deposits(tenant, from, to, apiKeyId),
        ports.requestLog.counts(keyIds, from, to),
        ports.executions.countQuota(quotaKeyOf(organization.id, now())),
      ])
      const days = usageDays({ rows, deposits, requests }, inUsd(await pricedBy(ports.worth, rows)))
      const ids = new Set(days.flatMap((day) => day.apiKeyId ?? []))
      const keys = own ?? (await Promise.all([...ids].map(apiKeys.load))).filter((key) => key !== null)
      const labels = new Map(keys.map(({ id, label }) => [id, label]))
      const limit = planOf(organization).monthlyExecutions
      set.headers['cache-control'] = 'private, no-cache'
      return {
        from,
        to,
        quota: quotaView(now(), limit, used),
        days: days.map(({ date, apiKeyId, ...day }) => {
          return { date, apiKeyId, apiKeyLabel: labels.get(apiKeyId ?? '') ?? null, ...day }
        }),
      }
    },
    operationDocs({
      operationId: 'getUsage',
      tag: 'Service',
      summary: 'Show the usage by day and key',
      description:
        'Days are in UTC, at most 92. Amounts in USD are estimates at current prices and leave out tokens ' +
        'without a price. A request is counted within a second.',
      roles: everyRole.roles,
      query: Query,
      answers: { 200: { view: UsageView, description: 'The usage.' } },
      refusals: ['UNKNOWN_PARAMETER'],
    }),
  )
}
