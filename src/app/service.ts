import type { AnyElysia } from 'elysia'
import { executionMachine } from '../../machines/execution'
import { planLimits } from '../adapters/limits/plan-limits'
import { storedPlaces } from '../adapters/limits/relayer-places'
import { createDetection } from '../detection/detection'
import { type ChainId, chainIds, chainKeyOf, chainOf } from '../domain/chain/chain'
import { withPauses } from '../estimates/paused-figures'
import { preview } from '../estimates/preview'
import { routeEstimates } from '../estimates/route-estimates'
import { createApi } from '../http/app'
import { relayerBalances } from '../http/dashboard/relayers'
import { gauges } from '../http/metrics/gauges'
import { createProbes } from '../http/routes/probes'
import type { OrderSigner, Relayers } from '../ports/signer'
import { quorumCheck } from '../routing/delivery/quorum-check'
import { refunds } from '../routing/delivery/refunds'
import type { LowGas } from '../routing/delivery/sign-blockers'
import { targetObjection } from '../routing/engine/screening'
import { worker } from '../routing/engine/worker'
import type { Quoting } from '../routing/pricing/quotes'
import { previewStepsOn, stepsOn } from '../routing/steps'
import { depositNews, onBugOf, onFailureOf, outcomeLog, rateLimitedLog } from './logging/outcome-log'
import { operatorService } from './operator-service'
import { outcomeCounts } from './outcome-counts'
import { overdueTelling, together } from './overdue-news'
import type { ServicePorts, ServiceSettings } from './service-ports'
import { watchedSteps } from './telemetry/telemetry'
import { webhookReceiver } from './webhook-receiver'
import { worthOf } from './worth-of'

/** When the polling interval is configured, unlisted tokens are looked for once in this many polls. */
const unlistedPolls = 5

/** The wiring of the service: `main.ts` and the tests both build it here. */
export function createService(ports: ServicePorts, settings: ServiceSettings) {
  const { stores, wakes, pointers, chains, patient, aggregators, prices, appraiser } = ports
  const { drafter, relayers, tokens, log, now, meters, telemetry, tracing } = ports
  const { executions, accounts, blacklist } = stores
  const pollMs = (id: ChainId): number =>
    settings.chainPollMs ?? Math.min(Math.max(chainOf(id).blockSeconds * 500, 250), 5_000)
  const fault = rateLimitedLog(log, now)

  const onTrouble = (error: unknown) => fault('recognising a refund', error)
  const recognised = refunds({ executions, aggregators, chains, now, onTrouble })
  const detection = createDetection({
    isPending: (chainId, hash) => chains[chainId].isKnown(hash),
    refunds: recognised,
    chains,
    watched: chainIds,
    accounts,
    executions,
    sightings: stores.sightings,
    unsupported: stores.unsupported,
    ...(ports.isPriced && { isPriced: ports.isPriced }),
    ...(settings.chainPollMs !== null && { unlistedBeatMs: () => settings.chainPollMs! * unlistedPolls }),
    cursors: stores.scanCursors,
    signs: stores.signs,
    wakes,
    pointers,
    tokens,
    now,
    machineVersion: executionMachine.version!,
    scanBeatMs: pollMs,
    onTrouble: ({ chainId, work, error }) => fault(chainId ? `${work} of ${chainKeyOf(chainId)}` : work, error),
    telemetry,
    ...depositNews(log, now, tracing),
    onRecovered: (chainId, work) =>
      log.say('CHAIN_RECOVERED', { chain: chainKeyOf(chainId), work }, `${work} has resumed.`),
    onReorg: (chainId, { scannedBlock }, { number }) =>
      log.say('CHAIN_REORGANIZED', { chain: chainKeyOf(chainId), scannedBlock, number }),
  })

  const { organizations, budgets, quotaBooks } = stores
  const limits = planLimits({ organizations, executions, quotaBooks, budgets, now })
  const { pauses } = ports
  const objectionTo = targetObjection(stores.blacklist)
  const misreads: Quoting['misreads'] = (route, request) =>
    objectionTo(route, request.fromChainId) ?? ports.misreads?.(route, request) ?? null
  const quoting = { aggregators, prices, appraiser, pauses, misreads, quoteTimeoutMs: settings.quoteTimeoutMs, now }
  const stepPorts = {
    intents: stores.intents,
    seals: ports.seals,
    refunds: recognised,
    blacklist,
    pauses,
    onLowGas: (low: Parameters<LowGas>[0]) =>
      fault(`gas of ${low.relayer} on ${low.chain}`, new Error('A relayer needs native coin')),
    lanes: stores.lanes,
    deliveries: stores.deliveries,
    executions,
    relayerRecords: stores.relayerRecords,
    chains: patient,
    freshHead: ports.freshHead,
    aggregators,
    quoting,
    limits: { ...limits, dustFloorUsd: settings.dustFloorUsd },
    mayForgiveGas: limits.mayForgiveGas,
    scannedTo: detection.scannedTo,
    orderSeconds: settings.orderSeconds ?? 150,
    secondOpinion: quorumCheck(patient, prices, settings.quorumUsd),
    pollMs,
    now,
  }
  const counts = outcomeCounts()
  const told = overdueTelling({ ...ports, ...stores, chains, relayers, log, now, onTrouble: fault })
  const noteRecord: typeof counts.note = (before, after) => {
    counts.note(before, after)
    meters.noteRecord(before, after)
  }
  const news = outcomeLog(log, now, noteRecord, told.noteSettled, meters)
  const operators = operatorService({
    ...ports,
    ...stores,
    detection,
    overdue: told.overdue,
    onRecord: news.onRecord,
    onTrouble: (error) => fault('jobs', error),
  })

  const metrics = {
    gauges: gauges({
      ...stores,
      chains,
      relayers,
      overdue: told.overdue,
      providerHealth: ports.providerHealth,
      version: settings.docs.version,
      now,
    }),
    counters: [...counts.counted, ...meters.counted],
    histograms: meters.timed,
    token: settings.metricsToken,
  }
  const noteBug = onFailureOf(log, now, meters)
  const apiOf = () =>
    createApi({
      ...stores,
      executions: { ...executions, countQuota: limits.usedQuota },
      places: storedPlaces({ books: stores.placeBooks, now }),
      operator: operators.operator,
      wakes,
      tokens,
      worth: worthOf(prices, tokens),
      chains,
      hasCode: ports.hasCode,
      seals: ports.seals,
      preview: preview(previewStepsOn({ ...stepPorts, signer: drafter, relayers })),
      watch: detection,
      figures: withPauses(
        routeEstimates({ ...stores, chains, prices, tokens, dustFloorUsd: settings.dustFloorUsd, now }),
        ports.pauses,
        now,
      ),
      retry: settings.retry,
      factory: settings.factory,
      assureAddresses: ports.assureAddresses,
      noteBug,
      now,
      useNews: ports.useNews,
      tracing,
      webhook: webhookReceiver(ports, ports.dashboard?.inboundWebhooks ?? null),
      readiness: ports.readiness,
      metrics,
      docs: settings.docs,
      corsOrigins: settings.corsOrigins,
      trustedProxies: settings.trustedProxies,
      dashboard: ports.dashboard && {
        ...ports.dashboard,
        relayers: relayerBalances(chains, relayers, now),
      },
    })

  const api: AnyElysia = settings.isApi ? apiOf() : createProbes({ readiness: ports.readiness, metrics, noteBug, now })
  return { api, detection, operators: together(operators, told), stepPorts, news }
}

/** The worker that advances executions. It is the only part that receives what signs. */
export function createWorker(
  { stepPorts, news }: Pick<ReturnType<typeof createService>, 'stepPorts' | 'news'>,
  { signer, relayers }: { signer: OrderSigner; relayers: Relayers },
  { random, log, wakes, meters, telemetry }: Pick<ServicePorts, 'random' | 'log' | 'wakes' | 'meters' | 'telemetry'>,
  settings: Pick<ServiceSettings, 'retry' | 'beat'>,
) {
  const { executions, chains, relayerRecords, now } = stepPorts
  const steps = watchedSteps(stepsOn({ ...stepPorts, signer, relayers }), telemetry, meters)
  const onBug = onBugOf(log, now, meters)
  return worker(
    { executions, steps, now, random, onBug, retry: settings.retry, wakes, chains, relayers, relayerRecords },
    settings.beat,
    news,
  )
}
