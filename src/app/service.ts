import type { AnyElysia } from 'elysia'
import { executionMachine } from '../../machines/execution'
import { planLimits } from '../adapters/limits/plan-limits'
import { storedSemaphores } from '../adapters/limits/stored-semaphores'
import { createDetection, type Detection } from '../detection/detection'
import { type ChainId, chainIds, chainKeyOf, chainOf } from '../domain/chain/chain'
import { together } from '../domain/repeat'
import { preview } from '../estimates/preview'
import { routeEstimates } from '../estimates/route-estimates'
import { withStops } from '../estimates/stopped-figures'
import { type ApiPorts, createApi } from '../http/app'
import { relayerBalances } from '../http/dashboard/relayers'
import { gauges } from '../http/metrics/gauges'
import { createProbes } from '../http/routes/probes'
import type { OverdueNow } from '../ports/overdue'
import { refunds } from '../routing/delivery/refunds'
import { wakeNowOrMakeDue } from '../routing/engine/wake-ups'
import type { Quoting } from '../routing/pricing/quotes'
import { previewStepsOn } from '../routing/steps'
import { disabledEndpointEmail } from './disabled-endpoint-email'
import { eventAppending, eventReading } from './event-log'
import { heldChangesApplied } from './held-changes'
import { depositLog, onFailureOf, outcomeLog, rateLimitedLog } from './logging/outcome-log'
import { notificationEmails } from './notices/notification-emails'
import { operatorService } from './operator-service'
import { outcomeCounts } from './outcome-counts'
import { overdueReporter } from './overdue-reporter'
import { type Routing, routingOf } from './parts/routing'
import type { ServicePorts, ServiceSettings } from './service-ports'
import { webhookPosting } from './webhook-posting'
import { webhookReceiver } from './webhook-receiver'
import { worthOf } from './worth-of'

/**
 * Intervals between two reads of a chain, unless the polling interval is configured. With `closeMs` a deposit is found
 * within five seconds of its confirmation. With `wideMs` webhooks find it, and the reads prove that none was missed.
 */
export const productionPace = { closeMs: 4_500, wideMs: 60_000, spentMs: 110_000 }
/** Longest lease of a chain that a dead process leaves behind, in milliseconds and in polling intervals. */
const leaseMax = { ms: 8_000, polls: 20 }

/** If the polling interval is configured, unlisted tokens are searched once in this many polls. */
const unlistedPolls = 5

/** Wires the service. The process and the tests both build it here. */
export function createService(ports: ServicePorts, settings: ServiceSettings) {
  const { stores, chains, relayers, log, now, meters, readiness } = ports
  const shared = sharedOf(ports, settings)
  const { fault } = shared
  const detection = detectionOf(shared)
  const { scannedTo } = detection
  const stepPorts = routingOf(ports, settings, {
    scannedTo,
    pollMs: shared.pollMs,
    refunds: shared.refunds,
    limits: shared.limits,
    fault,
  })
  const counts = outcomeCounts()
  const told = overdueReporter({ ...ports, ...stores, chains, relayers, log, now, onTrouble: fault })
  const noteRecord: typeof counts.note = (before, after) => {
    counts.note(before, after)
    meters.noteRecord(before, after)
  }
  const outcomes = outcomeLog(log, now, noteRecord, told.noteSettled, meters)
  const operators = operatorService({
    ...ports,
    ...stores,
    wakes: shared.wakes,
    detection,
    overdue: told.overdue,
    onRecord: outcomes.onRecord,
    onTrouble: (error) => fault('jobs', error),
  })
  const metrics = {
    gauges: [
      ports.bill.gauge,
      ...gauges({
        ...stores,
        chains,
        isWatching: detection.isWatching,
        overdue: told.overdue,
        providerHealth: ports.providerHealth,
        requestsLeft: ports.requestsLeft,
        version: settings.docs.version,
        now,
      }),
    ],
    counters: [...counts.counted, ...meters.counted],
    histograms: meters.timed,
    token: settings.metricsToken,
  }
  const noteBug = onFailureOf(log, now, meters)
  const api: AnyElysia = settings.isApi
    ? createApi(apiPortsOf(shared, { detection, stepPorts, operator: operators.operator, metrics, noteBug }))
    : createProbes({ readiness, metrics, noteBug, now })
  const posting = together(postingOf(shared), noticesOf(shared, told.overdue), heldOf(shared))
  const appending = eventAppending({ ...stores, ...ports, onTrouble: fault })
  return { api, detection, operators: together(operators, told), appending, posting, stepPorts, outcomes }
}

/** Parts that several components share. */
type Shared = ReturnType<typeof sharedOf>
function sharedOf(ports: ServicePorts, settings: ServiceSettings) {
  const { chains, aggregators, log, now } = ports
  const { organizations, executions, quotaBooks, quotaWarnings, limitCounters } = ports.stores
  const fault = rateLimitedLog(log, now)
  const onTrouble = (error: unknown) => fault('recognising a refund', error)
  return {
    ports,
    settings,
    fault,
    events: eventReading(ports.stores.eventLog, ports.signals, fault),
    wakes: { wakeNow: wakeNowOrMakeDue({ executions, wakes: ports.wakes, now }) },
    refunds: refunds({ executions, aggregators, chains, now, onTrouble }),
    limits: planLimits({ organizations, executions, quotaBooks, quotaWarnings, limitCounters, now }),
    pollMs: (id: ChainId): number =>
      settings.chainPollMs ?? Math.min(Math.max(chainOf(id).blockSeconds * 500, 250), 5_000),
  }
}

const postingOf = ({ ports, events, fault }: Shared) =>
  webhookPosting({
    ...ports,
    ...ports.stores,
    events,
    post: ports.postWebhook,
    holder: ports.name,
    tell: disabledEndpointEmail(ports.dashboard, ports.stores.organizations, {
      now: ports.now,
      onTrouble: (error) => ports.log.say('LETTER_UNSENT', { error }),
    }),
    onTrouble: fault,
  })

const noticesOf = ({ ports, limits, fault }: Shared, overdue: OverdueNow) =>
  notificationEmails({
    ...ports.stores,
    executions: { countQuota: limits.usedQuota },
    overdue,
    dashboard: ports.dashboard,
    now: ports.now,
    onTrouble: (error) => fault('notices', error),
  })

const heldOf = ({ ports: { stores, seals, now }, fault }: Shared) =>
  heldChangesApplied({ ...stores, seals, now, onTrouble: (error) => fault('held changes', error) })

function detectionOf({ ports, settings, fault, refunds, pollMs }: Shared): Detection {
  const { stores, chains, wakes, pointers, isFed, bill, log, now } = ports
  const { accounts, executions, sightings, unsupported, scanCursors: cursors, observations } = stores
  const { chainPollMs } = settings
  return createDetection({
    store: { accounts, executions, sightings, unsupported, cursors, observations },
    chains,
    watched: chainIds,
    tokens: { listed: ports.tokens, isPriced: ports.isPriced },
    messages: { wakes, pointers },
    turns: {
      leases: stores.chainLeases,
      holder: ports.name,
      leaseMs: (id) => Math.min(leaseMax.ms, leaseMax.polls * pollMs(id)),
    },
    pacing: {
      isFed,
      isSpent: (id) => bill.isSpent(chainKeyOf(id)),
      newHeads: ports.newHeads,
      scanBeatMs: pollMs,
      ...(chainPollMs === null ? { pace: productionPace } : { unlistedBeatMs: () => chainPollMs * unlistedPolls }),
    },
    listeners: {
      ...depositLog(log, now, ports.tracing),
      telemetry: ports.telemetry,
      onTrouble: ({ chainId, work, error }) => fault(chainId ? `${work} of ${chainKeyOf(chainId)}` : work, error),
      onRecovered: (chainId, work) =>
        log.say('CHAIN_RECOVERED', { chain: chainKeyOf(chainId), work }, `${work} has resumed.`),
      onReorg: (chainId, { scannedBlock }, { number }) =>
        log.say('CHAIN_REORGANIZED', { chain: chainKeyOf(chainId), scannedBlock, number }),
    },
    refunds,
    isPending: (chainId, hash) => chains[chainId].isKnown(hash),
    machineVersion: executionMachine.version!,
    now,
  })
}

type ApiParts = Pick<ApiPorts, 'operator' | 'metrics' | 'noteBug'> & {
  detection: Detection
  stepPorts: Routing
}
function apiPortsOf(
  { ports, settings, events, limits, wakes }: Shared,
  { detection, stepPorts, ...parts }: ApiParts,
): ApiPorts {
  const { stores, chains, prices, drafter, relayers, tokens, now } = ports
  const { screening, pricing } = stepPorts
  const quoting: Quoting = { ...pricing.quoting, purpose: 'PREVIEW' }
  const drafting = previewStepsOn({
    executions: stores.executions,
    chains: stepPorts.chains.clients,
    screening,
    pricing: { ...pricing, quoting, onQuoted: undefined },
    signer: drafter,
    relayers,
    limits: stepPorts.limits,
    now,
  })
  const estimates = routeEstimates({ ...stores, chains, prices, tokens, dustFloorUsd: settings.dustFloorUsd, now })
  return {
    ...stores,
    ...parts,
    events,
    executions: { ...stores.executions, countQuota: limits.usedQuota },
    semaphores: storedSemaphores({ books: stores.semaphoreRecords, now }),
    wakes,
    tokens,
    worth: worthOf(prices, tokens),
    chains,
    ...ports.targets,
    seals: ports.seals,
    receipts: ports.receipts,
    vault: ports.vault,
    postWebhook: ports.postWebhook,
    webhooksToLoopback: settings.webhooksToLoopback,
    preview: preview(drafting, screening.payable),
    watch: detection,
    figures: withStops(estimates, { pauses: ports.pauses, blacklist: screening.blacklist, now }),
    retry: settings.retry,
    factory: settings.factory,
    assureAddresses: ports.assureAddresses,
    now,
    useUpdates: ports.useUpdates,
    tracing: ports.tracing,
    webhook: webhookReceiver(ports, ports.dashboard?.inboundWebhooks ?? null, detection.accounts.has),
    readiness: ports.readiness,
    docs: settings.docs,
    corsOrigins: settings.corsOrigins,
    trustedProxies: settings.trustedProxies,
    dashboard: ports.dashboard && { ...ports.dashboard, relayers: relayerBalances(chains, relayers, now) },
  }
}
