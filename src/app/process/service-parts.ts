import { natsUseUpdates } from '../../adapters/nats/nats-use-updates'
import { webhookPoster } from '../../adapters/webhooks/post-webhook'
import { aged } from '../../domain/aged'
import { implementationAddressOf } from '../../domain/chain/account'
import { type ChainId, chainKeys, chains } from '../../domain/chain/chain'
import { unspendable } from '../../domain/deposit/unspendable'
import { boundMsOf } from '../../domain/execution/overdue'
import { sharedGasBooks } from '../../gas/shared-gas-books'
import type { Observations } from '../../ports/observing'
import type { SigningKey } from '../../ports/signer'
import { payable } from '../../routing/engine/payable'
import { auditedOf } from '../audit/installation'
import type { NodesBill } from '../nodes-bill'
import type { ServicePorts, ServiceSettings } from '../service-ports'
import { unspendableContracts } from '../unspendable-contracts'
import { version } from '../version'
import type { Adapters } from './adapters'
import type { Base, Loaded } from './base'
import type { OrderParts } from './order-parts'

/** Readiness accepts a chain for this long after this process last read an advancing head. */
const readyProbeMs = 5 * 60_000
const observedMs = 1_000

/** The ports for `createService`. */
export function portsOf(
  { config, secrets }: Loaded,
  base: Base,
  adapters: Adapters,
  { bill, receiptKey, ...orders }: OrderParts & { bill: NodesBill; receiptKey: SigningKey | null },
  isDraining: () => boolean,
): ServicePorts {
  const { name, log, observability, connected, store, now, messages } = base
  const { evm, newHeads, providers, requestsLeft, blacklist, pauses, watcher, pages } = adapters
  const { verified } = orders
  const { nats } = connected
  const freshHead = verified.before(evm.freshHead)
  // If chains are polled often anyway, one more read costs nothing.
  const advances = config.chainPollMs === null ? advancingChain(store.observations, verified, evm, now) : freshHead
  const rule = unspendable(unspendableContracts(config), connected.tokens)
  return {
    name,
    stores: { ...store, blacklist, blacklistEntries: store.blacklist },
    messages: {
      wakes: messages.wakes,
      pointers: messages.pointers,
      signals: base.signals,
      useUpdates: natsUseUpdates(nats, name),
    },
    chains: { clients: evm.chains, withBreakers: evm.withBreakers, freshHead, newHeads, isFed: watcher.isFed, bill },
    providers: {
      gates: providers,
      gasBooks: sharedGasBooks({ books: store.gasBooks, now }),
      health: () => Promise.all(providers.map((provider) => provider.health())),
      requestsLeft,
    },
    worth: { ...orders.worth, tokens: connected.tokens },
    recipients: {
      hasCode: evm.hasCode,
      payable: payable({ chains: evm.withBreakers, unspendable: rule }),
      unspendable: rule,
    },
    signing: {
      drafter: orders.drafter,
      relayers: orders.ownRelayers,
      seals: orders.seals,
      verifyIntent: orders.verifyIntent,
      receipts: { key: receiptKey, former: config.formerReceiptSigners },
      assureAddresses: verified.assureAny,
    },
    webhooks: {
      post: webhookPoster({ toLoopback: config.webhooksToLoopback, now }),
      vault: orders.vault,
      signedFor: watcher.signedFor,
    },
    pauses,
    observing: { log, ...observability },
    readiness: {
      isDraining,
      checks: { mongodb: store.assureWritable },
      degrading: {
        nats: messages.assureAnswering,
        ...Object.fromEntries(chainKeys.map((key) => [key, () => advances(chains[key].id)])),
      },
    },
    audited: config.roles.includes('worker')
      ? auditedOf({ config, secrets }, { ...connected, clients: evm.chains, telemetry: observability.telemetry })
      : undefined,
    dashboard: pages,
    now,
    random: Math.random,
  }
}

/**
 * Assures that a chain is verified and its head advances, from the observations of the process that watches it. Reads a
 * node only if those are missing or stale, or if this process recently failed to reach its own nodes, which may differ.
 */
export function advancingChain(
  observations: Pick<Observations, 'all'>,
  verified: Pick<OrderParts['verified'], 'before'>,
  { freshHead, hasFailed }: Pick<Adapters['evm'], 'freshHead' | 'hasFailed'>,
  now: () => number,
) {
  const elapsed = { now: () => performance.now(), from: 'END' } as const
  const noted = aged(() => observations.all(), { ...elapsed, forMs: observedMs })
  const probe = aged((id: ChainId) => freshHead(id), { ...elapsed, forMs: readyProbeMs })
  return verified.before(async (id: ChainId): Promise<void> => {
    // Without the database the observations of others are unavailable. That is no evidence about the chain.
    const recorded = await noted.get().catch(() => [])
    const head = recorded.find(({ kind, chainId }) => kind === 'HEAD' && chainId === id)
    if (!head || head.okAt + boundMsOf('HEAD', id) < now() || hasFailed(id)) await probe.get(id)
  })
}

export function settingsOf({ config, secrets }: Loaded): ServiceSettings {
  return {
    isApi: config.roles.includes('api'),
    factory: { registry: config.registry, implementation: implementationAddressOf(config.registry) },
    docs: { version, serverUrl: config.publicUrl },
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies,
    webhooksToLoopback: config.webhooksToLoopback,
    pace: { concurrency: config.concurrency, sweepMs: config.sweepMs, tendMs: config.tendMs },
    quoteTimeoutMs: config.quoteTimeoutMs,
    dustFloorUsd: config.dustFloorUsd,
    quorumUsd: config.quorumUsd,
    orderSeconds: config.orderSeconds,
    ordersPerTransaction: config.ordersPerTransaction,
    retry: config.retry,
    chainPollMs: config.chainPollMs,
    metricsToken: secrets.metricsToken,
  }
}
