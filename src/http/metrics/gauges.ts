import { type ChainId, chainIds, chainKeyOf, chainKeys, chainLabelOf } from '../../domain/chain/chain'
import { type MarkedCollection, markedCollections } from '../../domain/event-marks'
import { isOfChain, type OverdueKind, overdueNames } from '../../domain/execution/overdue'
import type { ChainClient, Chains } from '../../ports/chain-client'
import type { ScanCursors } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { ProviderHealth, RequestsLeft } from '../../ports/gate'
import type { Observations, OverdueCount, OverdueNow } from '../../ports/observing'
import type { Pause, PauseEntries } from '../../ports/operators'
import type { ExecutionQueries } from '../../ports/queries'
import type { EventLog, EventMarks, WebhookDeliveries, WebhookEndpoints, WebhookFeeds } from '../../ports/webhooks'
import type { Gauge, Reading } from './metrics'

const dueMax = 10_000
const lateMs = 60_000
const lateEventsMax = 1_000
/** An endpoint's events are read and stored within this time, even if the endpoint fails. */
const behindMs = 5 * 60_000
const everyOrganization = { organizationId: null }

const scopes = ['all', 'chain', 'provider', 'token', 'organization', 'tenant']

/** Counts pauses by scope. Only chains and providers are named, because a label must not grow with the tenants. */
function pausesBy(pauses: readonly Pause[], now: number): Reading[] {
  const inForce = pauses.filter(({ resumedAt, until }) => resumedAt === null && (until === null || until > now))
  const scopeNames = inForce.map(({ id }) => {
    const [scope = '', name = ''] = id.split(':')
    if (scope === 'chain') return `${scope}:${chainLabelOf(Number(name))}`
    return scope === 'provider' ? `${scope}:${name}` : `${scope}:`
  })
  const counts = new Map(scopes.map((scope) => [`${scope}:`, 0]))
  for (const scopeName of scopeNames) counts.set(scopeName, (counts.get(scopeName) ?? 0) + 1)
  return [...counts].map(([scopeName, value]) => {
    const [scope = '', name = ''] = scopeName.split(':')
    return { labels: { scope, name }, value }
  })
}

/**
 * Returns one reading for each kind and chain, even if it is 0, because alerts need series that always exist. Chains
 * that this release no longer has share the empty label.
 */
function everySeries(counts: readonly OverdueCount[]): Reading[] {
  const chains = (kind: OverdueKind) => (isOfChain(kind) ? [...chainKeys, ''] : [''])
  const countOf = Map.groupBy(counts, ({ kind, chainId }) => `${kind} ${chainLabelOf(chainId)}`)
  return overdueNames.flatMap((kind) =>
    chains(kind).map((chain) => ({
      labels: { kind, chain },
      value: (countOf.get(`${kind} ${chain}`) ?? []).reduce((sum, { count }) => sum + count, 0),
    })),
  )
}

type ServiceGaugePorts = { pauses: Pick<PauseEntries, 'changedSince'>; version: string; now: () => number }

/** Gauges are read on request. */
export function serviceGauges({ pauses, version, now }: ServiceGaugePorts): Gauge[] {
  return [
    {
      name: 'build_info',
      help: 'Always 1; its labels are the versions of the service and of Bun',
      labels: ['version', 'bun'],
      read: async () => [{ labels: { version, bun: Bun.version }, value: 1 }],
    },
    {
      name: 'pauses',
      help: 'Pauses in force by scope; name is the chain or provider, and empty for tokens and organizations',
      labels: ['scope', 'name'],
      read: async () => pausesBy(await pauses.changedSince(0), now()),
    },
  ]
}

export type ExecutionGaugePorts = {
  executions: Pick<Executions, 'due'>
  executionQueries: Pick<ExecutionQueries, 'countByStatus'>
  overdue: Pick<OverdueNow, 'counts'>
  webhookDeliveries: Pick<WebhookDeliveries, 'countDue'>
  webhookEndpoints: Pick<WebhookEndpoints, 'disabledIds' | 'enabledIds'>
  webhookFeeds: Pick<WebhookFeeds, 'countRead'>
  eventLog: Pick<EventLog, 'head'>
  eventMarks: Pick<EventMarks, 'due'>
  now: () => number
}

/** Gauges of executions, their events and their webhooks. */
export function executionGauges(ports: ExecutionGaugePorts): Gauge[] {
  const { executions, executionQueries, overdue, webhookDeliveries, webhookEndpoints, webhookFeeds, now } = ports
  const { eventLog, eventMarks } = ports
  return [
    {
      name: 'executions',
      help: 'Executions by status',
      labels: ['status'],
      read: async () =>
        Object.entries(await executionQueries.countByStatus(everyOrganization)).map(([status, value]) => ({
          labels: { status },
          value: value ?? 0,
        })),
    },
    {
      name: 'due_executions',
      help: 'Executions due for a wake-up, up to 10000',
      labels: [],
      read: async () => [{ labels: {}, value: (await executions.due(now(), -1, dueMax)).length }],
    },
    {
      name: 'oldest_due_seconds',
      help: 'How long the oldest due execution has waited for the sweeper',
      labels: [],
      read: async () => {
        const [oldest] = await executions.due(now(), -1, 1)
        return [{ labels: {}, value: oldest ? Math.max(now() - oldest.dueAt, 0) / 1_000 : 0 }]
      },
    },
    {
      name: 'webhook_deliveries_late',
      help: 'Webhooks to enabled endpoints that have been due for more than a minute, up to 10000',
      labels: [],
      // Nothing is posted to a disabled endpoint, so none of its deliveries is late.
      read: async () => {
        const without = await webhookEndpoints.disabledIds()
        return [{ labels: {}, value: await webhookDeliveries.countDue(now() - lateMs, dueMax, without) }]
      },
    },
    {
      name: 'webhook_endpoints_behind',
      help: 'Enabled webhook endpoints that are more than five minutes behind the event log',
      labels: [],
      // A delivery is stored only after its first attempt. If no process posts, only this gauge shows it.
      read: async () => {
        const head = await eventLog.head()
        const before = Math.min(now() - behindMs, head?.loggedAt ?? 0)
        const ids = await webhookEndpoints.enabledIds(before)
        return [{ labels: {}, value: ids.length - (await webhookFeeds.countRead(ids, before)) }]
      },
    },
    {
      name: 'events_late',
      help: 'Records with an event that is not in the event log after a minute, up to 1000 of each collection',
      labels: [],
      // The mark of a record is removed seconds after its last event was logged.
      read: async () => {
        const late = (collection: MarkedCollection) => eventMarks.due(collection, -1, now() - lateMs, lateEventsMax)
        const marks = await Promise.all(markedCollections.map(late))
        return [{ labels: {}, value: marks.flat().length }]
      },
    },
    {
      name: 'overdue',
      help: 'Overdue items, by kind and chain; GET /api/operator/overdue lists them',
      labels: ['kind', 'chain'],
      read: async () => everySeries(await overdue.counts()),
    },
  ]
}

/** Maximum age of the confirmed block that a scan is compared with. */
const confirmedMs = 5 * 60_000
/** If a scan has not moved for this long, possibly no process watches the chain. */
const unwatchedMs = 3 * 60_000
/** Maximum age of a relayer's balance. It is read every five minutes. */
const balanceMs = 20 * 60_000

type DependencyGaugePorts = {
  chains: Chains
  /** Whether this process watches a chain, so its progress is known without a request. */
  isWatching: (chainId: ChainId) => boolean
  scanCursors: Pick<ScanCursors, 'load'>
  observations: Pick<Observations, 'all'>
  providerHealth: () => Promise<ProviderHealth[]>
  requestsLeft: () => Promise<RequestsLeft[]>
  now: () => number
}

/** Gauges of chains, relayers and providers. */
export function dependencyGauges(ports: DependencyGaugePorts): Gauge[] {
  const { chains, isWatching, scanCursors, observations, providerHealth, requestsLeft, now } = ports
  const perChain = async (read: (chain: ChainClient) => Promise<Reading[]>): Promise<Reading[]> =>
    (await Promise.all(chainIds.map((id) => read(chains[id]).catch(() => [])))).flat()

  return [
    {
      name: 'provider_credentials_refused',
      help: '1 while a provider rejects our credentials: it gets no requests but probes, and deposits that need it wait',
      labels: ['provider'],
      read: async () =>
        (await providerHealth()).map(({ provider, credentialsRefusedAt }) => ({
          labels: { provider },
          value: credentialsRefusedAt === null ? 0 : 1,
        })),
    },
    {
      name: 'provider_requests_left',
      help: 'Requests that all processes together may make to a provider now, by a digest of the key and kind of request',
      labels: ['provider', 'key', 'kind'],
      read: async () =>
        (await requestsLeft()).map(({ provider, key, kind, left }) => ({
          labels: { provider, key, kind },
          value: left,
        })),
    },
    {
      name: 'provider_requests_limit',
      help: 'Requests per window that a provider is assumed to allow, by a digest of the key and kind of request',
      labels: ['provider', 'key', 'kind'],
      read: async () =>
        (await requestsLeft()).map(({ provider, key, kind, most }) => ({
          labels: { provider, key, kind },
          value: most,
        })),
    },
    {
      name: 'detection_lag_blocks',
      help: 'Confirmed blocks that are not scanned yet',
      labels: ['chain'],
      read: () =>
        perChain(async (chain) => {
          const name = chainKeyOf(chain.chainId)
          const cursor = await scanCursors.load(name)
          // The process that watches the chain reports the lag. If no process watches it, all of them report it.
          if (!cursor || !(isWatching(chain.chainId) || cursor.updatedAt + unwatchedMs < now())) return []
          const confirmed = await chain.confirmed(confirmedMs)
          return [{ labels: { chain: name }, value: Math.max(confirmed.number - cursor.scannedBlock, 0) }]
        }),
    },
    {
      name: 'relayer_balance',
      help: 'Native coin of a relayer, in whole coins',
      labels: ['chain', 'relayer'],
      // One process reads the balances every few minutes for all processes, so metrics send no request to a node.
      read: async () =>
        (await observations.all()).flatMap(({ kind, chainId, subject, balanceRaw, at }) =>
          kind === 'RELAYER_GAS' && chainId !== null && subject && balanceRaw && at + balanceMs > now()
            ? [{ labels: { chain: chainLabelOf(chainId), relayer: subject }, value: Number(balanceRaw) / 1e18 }]
            : [],
        ),
    },
  ]
}
