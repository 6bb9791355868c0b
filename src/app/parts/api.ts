import type { Detection } from '../../detection/detection'
import { preview } from '../../estimates/preview'
import { routeEstimates } from '../../estimates/route-estimates'
import { withStops } from '../../estimates/stopped-figures'
import { relayerBalances } from '../../http/dashboard/relayers'
import { storedSemaphores } from '../../limits/stored-semaphores'
import type { QuotePorts } from '../../routing/pricing/quotes'
import { previewStepsOn } from '../../routing/steps'
import type { ApiPorts } from '../api/ports'
import type { ServicePorts, ServiceSettings } from '../service-ports'
import { webhookReceiver } from '../webhook-receiver'
import { worthOf } from '../worth-of'
import type { Routing } from './routing'

type Parts = Pick<ApiPorts, 'operator' | 'metrics' | 'noteBug' | 'events' | 'wakes'> & {
  detection: Detection
  routing: Routing
  countQuota: ApiPorts['executions']['countQuota']
}

/** The ports of the API, each by its name. */
export function apiPortsOf(ports: ServicePorts, settings: ServiceSettings, parts: Parts): ApiPorts {
  const { stores, messages, worth, recipients, signing, webhooks, pauses, observing, dashboard, now } = ports
  const { prices, tokens } = worth
  const chains = ports.chains.clients
  const { organizations, apiKeys, accounts, intents, intentHistory, heldChanges, idempotency, blacklist } = stores
  const { executions, executionQueries, depositQueries, ledger, usage, requestLog, scanCursors, eventLog } = stores
  const { webhookEndpoints, webhookFeeds, webhookDeliveries, semaphoreRecords } = stores
  const { detection, routing, countQuota, events, wakes, operator, metrics, noteBug } = parts
  const { dustFloorUsd, webhooksToLoopback, retry, factory, docs, corsOrigins, trustedProxies } = settings
  const estimates = routeEstimates({ chains, prices, tokens, executionQueries, scanCursors, dustFloorUsd, now })
  const tenancy = { organizations, apiKeys, accounts, intents, intentHistory, heldChanges, idempotency, blacklist }
  const reading = { executionQueries, depositQueries, ledger, usage, requestLog, scanCursors, eventLog, events }
  const endpoints = { webhookEndpoints, webhookFeeds, webhookDeliveries, webhooksToLoopback }
  return {
    ...tenancy,
    ...reading,
    ...endpoints,
    executions: { waitingForIntent: (account) => executions.waitingForIntent(account), countQuota },
    postWebhook: webhooks.post,
    vault: webhooks.vault,
    webhook: webhookReceiver(
      {
        pointers: messages.pointers,
        signedFor: webhooks.signedFor,
        tokens,
        log: observing.log,
        meters: observing.meters,
        now,
      },
      dashboard?.inboundWebhooks ?? null,
      detection.accounts.has,
    ),
    chains,
    tokens,
    worth: worthOf(prices, tokens),
    hasCode: recipients.hasCode,
    payable: recipients.payable,
    unspendable: recipients.unspendable,
    figures: withStops(estimates, { pauses, blacklist, now }),
    preview: preview(previewOf(ports, routing), recipients.payable),
    watch: detection,
    operator,
    wakes,
    semaphores: storedSemaphores({ books: semaphoreRecords, now }),
    seals: signing.seals,
    receipts: signing.receipts,
    retry,
    factory,
    assureAddresses: signing.assureAddresses,
    docs,
    corsOrigins,
    trustedProxies,
    useUpdates: messages.useUpdates,
    readiness: ports.readiness,
    metrics,
    tracing: observing.tracing,
    noteBug,
    dashboard: dashboard && { ...dashboard, relayers: relayerBalances(chains, signing.relayers, now) },
    now,
  }
}

/** The steps of a preview. They need no key, and the quotes of deposits come first. */
function previewOf({ signing: { drafter, relayers } }: Pick<ServicePorts, 'signing'>, routing: Routing) {
  const { store, chains, screening, pricing, limits, now } = routing
  const quoting: QuotePorts = { ...pricing.quoting, purpose: 'PREVIEW' }
  return previewStepsOn({
    executions: store.executions,
    chains: chains.clients,
    screening,
    pricing: { ...pricing, quoting, onQuoted: undefined },
    signer: drafter,
    relayers,
    limits,
    now,
  })
}
