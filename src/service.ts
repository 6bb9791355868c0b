import { executionMachine } from '../machines/execution'
import { planLimits } from './adapters/plan-limits'
import { createDetection } from './detection/detection'
import { readWebhook } from './detection/read-webhook'
import { type ChainId, chainIds, chainKeyOf, chainOf } from './domain/chain'
import { executionCounts } from './execution-counts'
import { createApi } from './http/app'
import { relayerBalances } from './http/dashboard/relayers'
import { worthOf } from './http/dashboard/worth'
import { measured } from './http/measured'
import { narrate, onBugOf, seldom } from './narrate'
import { operating } from './operating'
import { figures } from './routing/figures'
import { pausedFigures } from './routing/paused-figures'
import { preview } from './routing/preview'
import type { Quoting } from './routing/quotes'
import { refunds } from './routing/refunds'
import { targetObjection } from './routing/screening'
import { secondOpinion } from './routing/second-opinion'
import { stepsOn } from './routing/steps'
import { worker } from './routing/worker'
import type { ServicePorts, ServiceSettings } from './service-ports'

/** The wiring: what `main.ts` starts and what tests start are put together here and nowhere else. */
export function createService(ports: ServicePorts, settings: ServiceSettings) {
  const { stores, wakes, pointers, chains, patient, aggregators, prices, signer, relayers, tokens, log, now, random } =
    ports
  const { executions, accounts, blacklist } = stores
  const pollMs = (id: ChainId): number =>
    settings.chainPollMs ?? Math.min(Math.max(chainOf(id).blockSeconds * 500, 250), 5_000)
  const fault = seldom(log, now)

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
    cursors: stores.scanCursors,
    wakes,
    pointers,
    tokens,
    now,
    machineVersion: executionMachine.version!,
    scanBeatMs: pollMs,
    onTrouble: ({ chainId, work, error }) => fault(chainId ? `${work} of ${chainKeyOf(chainId)}` : work, error),
    onRecovered: (chainId, work) => log.info({ chain: chainKeyOf(chainId), work }, `${work} goes on`),
    onReorg: (chainId, { scannedBlock }, { number }) =>
      log.error({ chain: chainKeyOf(chainId), scannedBlock, number }, 'a confirmed block was replaced'),
  })

  const limits = planLimits({ organizations: stores.organizations, executions, budgets: stores.budgets, now })
  const { pauses } = ports
  const objectionTo = targetObjection(stores.blacklist)
  const misreads: Quoting['misreads'] = (route, request) =>
    objectionTo(route, request.fromChainId) ?? ports.misreads?.(route, request) ?? null
  const quoting = { aggregators, prices, pauses, misreads, quoteTimeoutMs: settings.quoteTimeoutMs, now }
  const steps = stepsOn({
    intents: stores.intents,
    refunds: recognised,
    blacklist,
    pauses,
    onLowGas: (low) => fault(`gas of ${low.sender} on ${low.chain}`, new Error('A relayer needs native coin')),
    lanes: stores.lanes,
    deliveries: stores.deliveries,
    executions,
    senders: stores.senders,
    chains: patient,
    freshHead: ports.freshHead,
    aggregators,
    signer,
    relayers,
    quoting,
    limits: { ...limits, dustFloorUsd: settings.dustFloorUsd },
    mayForgiveGas: limits.mayForgiveGas,
    scannedTo: detection.scannedTo,
    orderSeconds: settings.orderSeconds ?? 150,
    secondOpinion: secondOpinion(patient, prices, settings.quorumUsd),
    pollMs,
    now,
  })
  const counts = executionCounts()
  const news = narrate(log, now, counts.note)
  const routing = worker(
    {
      ...{ executions, steps, now, random, onBug: onBugOf(log, now), retry: settings.retry },
      ...{ wakes, chains: patient, relayers, senders: stores.senders },
    },
    settings.beat,
    news,
  )

  const operators = operating({
    ...{ ...ports, ...stores, detection, onRecord: news.onRecord },
    onTrouble: (error) => fault('jobs', error),
  })

  const api = createApi({
    ...stores,
    operator: operators.operator,
    wakes,
    tokens,
    chains,
    preview: preview(steps),
    watch: detection,
    figures: pausedFigures(
      figures({ ...stores, chains, prices, tokens, dustFloorUsd: settings.dustFloorUsd, now }),
      ports.pauses,
      now,
    ),
    retry: settings.retry,
    factory: settings.factory,
    noteBug: (error, where) => log.error({ error, ...where }, 'a request met an error nobody expected'),
    now,
    useNews: ports.useNews,
    webhook: {
      pointers,
      verifySignature: (body, signature) => ports.signedFor(body, signature).length > 0,
      readPointers: (body) => {
        const read = readWebhook(body, now())
        if (read.kind === 'MALFORMED') throw new TypeError('Not a webhook')
        return read.kind === 'POINTERS' ? read.pointers : []
      },
    },
    readiness: ports.readiness,
    metrics: {
      measured: measured({ ...stores, chains, relayers, now }),
      counted: counts.counted,
      token: settings.metricsToken,
    },
    docs: settings.docs,
    corsOrigins: settings.corsOrigins,
    dashboard: ports.dashboard && {
      ...ports.dashboard,
      worth: worthOf(prices, tokens),
      relayers: relayerBalances(chains, relayers, now),
    },
  })

  return { api, worker: routing, detection, operators }
}
