import { Elysia } from 'elysia'
import { chainKeyOf } from '../../domain/chain/chain'
import { isTerminal } from '../../domain/execution/status'
import { type } from '../../domain/schema'
import type { ApiKey } from '../../domain/tenant/api-key'
import type { UsageQueries, UsageRow, WorthOf } from '../../ports/limits'
import type { ApiKeys } from '../../ports/tenants'
import { readQuery } from '../request/query'
import { spanOf } from '../routes/usage'
import { DayFilter, IdFilter } from '../views/filter'
import { exactUsdText, type InUsd, inUsd, pricedBy } from '../views/usage-days'
import { everybody, memberSession, type SessionPorts, tenantOf } from './member-session'

type Ports = SessionPorts & {
  apiKeys: ApiKeys
  usage: UsageQueries
  worth: WorthOf
}

const Query = type({
  'from?': DayFilter('First day', '2026-11-01'),
  'to?': DayFilter('Last day', '2026-11-21'),
  'apiKeyId?': IdFilter('Only this key', 'key_9fT2'),
})

const routeUsageView = (row: UsageRow, usd: InUsd) => ({
  date: row.date,
  fromChainKey: chainKeyOf(row.fromChainId),
  toChainKey: row.toChainId === null ? null : chainKeyOf(row.toChainId),
  apiKeyId: row.apiKeyId,
  status: row.status,
  isOver: isTerminal(row.status),
  count: row.count,
  secondsToSuccess: row.secondsToSuccess,
  volumeUsd: exactUsdText(usd(row, row.amountInRaw)),
  protocolFeeUsd: exactUsdText(usd(row, row.protocolFeeRaw)),
})
export type RouteUsageView = ReturnType<typeof routeUsageView>

export type RoutesUsageView = { keys: Pick<ApiKey, 'id' | 'label'>[]; rows: RouteUsageView[] }

/** Serves usage by pair of chains, with durations, in addition to the days of `GET /api/usage`. */
export const usageRoutes = (ports: Ports) =>
  new Elysia()
    .use(memberSession(ports, everybody))
    .get('/usage/routes', async ({ session, request, set }): Promise<RoutesUsageView> => {
      const { apiKeyId, ...span } = readQuery(request, Query, true)
      const { from, to } = spanOf(span, ports.now())
      const [keys, rows] = await Promise.all([
        ports.apiKeys.ofOrganization(session.organization.id),
        ports.usage.rows(tenantOf(session), from, to, apiKeyId),
      ])
      const usd = inUsd(await pricedBy(ports.worth, rows))
      set.headers['cache-control'] = 'private, no-cache'
      return {
        keys: keys.map(({ id, label }) => ({ id, label })),
        rows: rows.map((row) => routeUsageView(row, usd)),
      }
    })
