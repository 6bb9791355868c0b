import type { AnyElysia } from 'elysia'
import { planLimits } from '../adapters/limits/plan-limits'
import { type ChainId, chainOf } from '../domain/chain/chain'
import { dependencyGauges, executionGauges, serviceGauges } from '../http/metrics/gauges'
import type { MetricsPorts } from '../http/metrics/metrics'
import { createProbes } from '../http/routes/probes'
import type { OverdueNow } from '../ports/overdue'
import type { Wakes } from '../ports/wakes'
import { refunds } from '../routing/delivery/refunds'
import { wakeNowOrMakeDue } from '../routing/engine/wake-ups'
import type { WorkerListeners } from '../routing/engine/worker'
import { createApi } from './api/api'
import { eventReading } from './event-log'
import { onFailureOf, outcomeLog, rateLimitedLog } from './logging/outcome-log'
import { operatorService } from './operator-service'
import { outcomeCounts } from './outcome-counts'
import { overdueReporter } from './overdue-reporter'
import { apiPortsOf } from './parts/api'
import { type Background, eventWork } from './parts/background'
import { detectionOf } from './parts/detection'
import { routingOf } from './parts/routing'
import type { ServicePorts, ServiceSettings } from './service-ports'

type Fault = (what: string, error: unknown) => void

/** Puts the service together. The process and the tests both build it here. */
export function createService(ports: ServicePorts, settings: ServiceSettings) {
  const { name, stores, messages, chains, providers, worth, recipients, signing, pauses, observing, now } = ports
  const { executions, organizations, quotaBooks, quotaWarnings, limitCounters, eventLog } = stores
  const { log, meters } = observing
  const fault = rateLimitedLog(log, now)
  const pollMs = (id: ChainId): number =>
    settings.chainPollMs ?? Math.min(Math.max(chainOf(id).blockSeconds * 500, 250), 5_000)

  const wakes = { wakeNow: wakeNowOrMakeDue({ executions, wakes: messages.wakes, now }) }
  const limits = planLimits({ organizations, executions, quotaBooks, quotaWarnings, limitCounters, now })
  const refunding = refunds({
    executions,
    aggregators: providers.gates,
    chains: chains.clients,
    now,
    onTrouble: (error) => fault('recognising a refund', error),
  })
  const running = { stores, chains, worth, observing, refunds: refunding, pollMs, fault, now }
  const detection = detectionOf({ ...running, name, messages }, settings)
  const { scannedTo } = detection
  const routing = routingOf({ ...running, providers, recipients, signing, pauses, scannedTo, limits }, settings)

  const reporter = reporterOf(ports, fault)
  const { overdue } = reporter
  const counts = outcomeCounts()
  const noteRecord: typeof counts.note = (before, after) => {
    counts.note(before, after)
    meters.noteRecord(before, after)
  }
  const outcomes = outcomeLog(log, now, noteRecord, reporter.noteSettled, meters)
  const { operator, ...jobs } = operatorsOf(ports, {
    wakes,
    onRecord: outcomes.onRecord,
    readRange: detection.readRange,
    overdue,
    fault,
  })
  const events = eventReading(eventLog, messages.signals, fault)
  const metrics: MetricsPorts = {
    gauges: gaugesOf(ports, { version: settings.docs.version, isWatching: detection.isWatching, overdue }),
    counters: [...counts.counted, ...meters.counted],
    histograms: meters.timed,
    token: settings.metricsToken,
  }
  const noteBug = onFailureOf(log, now, meters)
  const countQuota = limits.usedQuota
  const apiParts = { detection, routing, countQuota, events, wakes, operator, metrics, noteBug }
  const api: AnyElysia = settings.isApi
    ? createApi(apiPortsOf(ports, settings, apiParts))
    : createProbes({ readiness: ports.readiness, metrics, noteBug, now })

  const { webhooks, dashboard, random } = ports
  const posted = { name, stores, messages, chains, worth, signing, webhooks, observing, dashboard, now, random }
  const background: Background[] = [
    { role: 'worker', task: jobs },
    { role: 'worker', task: reporter },
    ...eventWork({ ...posted, events, overdue, countQuota, fault }),
  ]
  return { api, detection, routing, outcomes, background }
}

function reporterOf({ stores, chains, providers, signing, observing, now }: ServicePorts, fault: Fault) {
  const { executions, executionQueries, depositQueries, scanCursors, relayerRecords } = stores
  const { observations, overdueReports } = stores
  return overdueReporter({
    executions,
    executionQueries,
    depositQueries,
    scanCursors,
    relayerRecords,
    observations,
    overdueReports,
    chains: chains.clients,
    relayers: signing.relayers,
    providerHealth: providers.health,
    log: observing.log,
    now,
    onTrouble: fault,
  })
}

type OperatorParts = Pick<Parameters<typeof operatorService>[0], 'readRange' | 'overdue'> & {
  wakes: Pick<Wakes, 'wakeNow'>
  onRecord: WorkerListeners['onRecord']
  fault: Fault
}

function operatorsOf(
  { stores, chains, providers, signing: { seals }, now }: ServicePorts,
  { wakes, onRecord, readRange, overdue, fault }: OperatorParts,
) {
  const { executions, intents, blacklist, auditLog, jobs, pauses, blacklistEntries } = stores
  return operatorService({
    operating: { executions, intents, seals, chains: chains.clients, blacklist, auditLog, wakes, onRecord, now },
    jobs,
    pauses,
    blacklistEntries,
    auditLog,
    organizations: stores.organizations,
    executionQueries: stores.executionQueries,
    gates: providers.gates,
    providerHealth: providers.health,
    readRange,
    overdue,
    onTrouble: (error) => fault('jobs', error),
  })
}

type GaugeParts = { version: string; isWatching: (chainId: ChainId) => boolean; overdue: OverdueNow }

function gaugesOf(
  { stores, chains, providers, now }: ServicePorts,
  { version, isWatching, overdue }: GaugeParts,
): MetricsPorts['gauges'] {
  const { executions, executionQueries, webhookDeliveries, webhookEndpoints, webhookFeeds } = stores
  const { pauses, eventLog, eventMarks, scanCursors, observations } = stores
  const { health: providerHealth, requestsLeft } = providers
  const webhooks = { webhookDeliveries, webhookEndpoints, webhookFeeds, eventLog, eventMarks }
  return [
    chains.bill.gauge,
    ...serviceGauges({ pauses, version, now }),
    ...executionGauges({ ...webhooks, executions, executionQueries, overdue, now }),
    ...dependencyGauges({
      chains: chains.clients,
      isWatching,
      scanCursors,
      observations,
      providerHealth,
      requestsLeft,
      now,
    }),
  ]
}
