import type { AnyElysia } from 'elysia'
import type { Detection } from '../detection/detection'
import { type ChainId, chainOf } from '../domain/chain/chain'
import type { Execution } from '../domain/execution/execution'
import { dependencyGauges, executionGauges, serviceGauges } from '../http/metrics/gauges'
import type { Counter, MetricsPorts } from '../http/metrics/metrics'
import { createProbes } from '../http/routes/probes'
import { planLimits } from '../limits/plan-limits'
import type { OverdueNow } from '../ports/observing'
import type { Wakes } from '../ports/wakes'
import { refunds } from '../routing/delivery/refunds'
import { wakeNowOrMakeDue } from '../routing/engine/wake-ups'
import type { WorkerListeners } from '../routing/engine/worker'
import { createApi } from './api/api'
import { eventReading } from './event-log'
import { onFailureOf, outcomeLog, rateLimitedLog } from './logging/outcome-log'
import { operatorService } from './operator-service'
import { overdueReporter } from './overdue-reporter'
import { apiPortsOf } from './parts/api'
import { appendingOf, auditingOf, type Background, heldChangesPart, noticesOf, postingOf } from './parts/background'
import { detectionOf } from './parts/detection'
import type { Faults } from './parts/faults'
import { routingOf } from './parts/routing'
import type { ServicePorts, ServiceSettings } from './service-ports'

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

  const reporter = reporterOf({ stores, chains, providers, signing, observing, fault, now })
  const { overdue } = reporter
  const counts = outcomeCounts()
  const noteRecord: typeof counts.note = (before, after) => {
    counts.note(before, after)
    meters.noteRecord(before, after)
  }
  const outcomes = outcomeLog(log, now, noteRecord, reporter.noteSettled, meters)
  const { onRecord } = outcomes
  const { readRange, isWatching } = detection
  const operating = { wakes, onRecord, readRange, overdue, fault, now }
  const { operator, ...jobs } = operatorsOf({ stores, chains, providers, signing, ...operating })
  const events = eventReading(eventLog, messages.signals, fault)
  const metrics: MetricsPorts = {
    gauges: gaugesOf({ stores, chains, providers, isWatching, overdue, version: settings.docs.version, now }),
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

  const { webhooks, dashboard, audited, random } = ports
  const posting = { name, stores, webhooks, observing, dashboard, events, fault, now, random }
  const background: Background[] = [
    { role: 'worker', task: jobs },
    { role: 'worker', task: reporter },
    ...(audited
      ? [{ role: 'worker', task: auditingOf({ name, stores, chains, observing, audited, fault, now }) } as const]
      : []),
    { role: null, task: appendingOf({ name, stores, messages, chains, worth, fault, now }) },
    // Posting needs the key that encrypts webhook secrets, which a worker must not hold.
    { role: 'api', task: postingOf(posting) },
    { role: 'api', task: noticesOf({ stores, dashboard, overdue, countQuota, fault, now }) },
    { role: 'api', task: heldChangesPart({ stores, signing, fault, now }) },
  ]
  return { api, detection, routing, outcomes, background }
}

type ReporterPorts = Pick<ServicePorts, 'stores' | 'chains' | 'providers' | 'signing' | 'observing' | 'now'> & Faults

function reporterOf({ stores, chains, providers, signing, observing, fault, now }: ReporterPorts) {
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

type OperatorParts = Pick<ServicePorts, 'stores' | 'chains' | 'providers' | 'signing' | 'now'> &
  Faults & {
    wakes: Pick<Wakes, 'wakeNow'>
    onRecord: WorkerListeners['onRecord']
    readRange: Detection['readRange']
    overdue: OverdueNow
  }

function operatorsOf(ports: OperatorParts) {
  const { stores, chains, providers, signing, wakes, onRecord, readRange, overdue, fault, now } = ports
  const { seals } = signing
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

type GaugeParts = Pick<ServicePorts, 'stores' | 'chains' | 'providers' | 'now'> &
  Pick<Detection, 'isWatching'> & { overdue: OverdueNow; version: string }

function gaugesOf(ports: GaugeParts): MetricsPorts['gauges'] {
  const { stores, chains, providers, isWatching, overdue, version, now } = ports
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

/**
 * Counts the statuses and retries that this process's workers and operators brought executions to. The counters only
 * grow.
 */
export function outcomeCounts() {
  const reached = new Map<string, { labels: { status: string; category: string }; value: number }>()
  let retries = 0

  function note(before: Execution | null, after: Execution): void {
    if (before === null) return
    retries += Math.max(after.retryCount - before.retryCount, 0)
    const { status, cause } = after
    if (status === null || status === before.status) return
    const hasFailed = status !== 'PENDING' && status !== 'RUNNING' && status !== 'SUCCESS'
    const category = hasFailed ? (cause?.category ?? 'NONE') : 'NONE'
    const row = reached.get(`${status} ${category}`) ?? { labels: { status, category }, value: 0 }
    row.value += 1
    reached.set(`${status} ${category}`, row)
  }

  const counted: Counter[] = [
    {
      name: 'execution_statuses_total',
      help: 'Statuses that executions reached in this process, by the category of their cause',
      labels: ['status', 'category'],
      read: () => [...reached.values()],
    },
    {
      name: 'execution_retries_total',
      help: 'Retries that this process began',
      labels: [],
      read: () => [{ labels: {}, value: retries }],
    },
  ]
  return { note, counted }
}
