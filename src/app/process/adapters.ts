import { cachedBlacklist, cachedPauses } from '../../adapters/caches/blacklist-cache'
import { chainKeyOf, perChain } from '../../domain/chain/chain'
import { wakeAnswered, wakeNowOrMakeDue } from '../../routing/engine/wake-ups'
import { rulesFor } from '../../signer/all-rules'
import { lifiBridges } from '../../signer/route-rules'
import { type AlchemyConfig, alchemy } from '../alchemy'
import { dashboardPorts } from '../dashboard-ports'
import { evmChains, pushedHeads } from '../evm-chains'
import { gateLog } from '../logging/outcome-log'
import { routingProviders } from '../routing-providers'
import type { Base, Loaded } from './base'

export type Adapters = Awaited<ReturnType<typeof openAdapters>>

/** Opens the external systems: the chains, the routing providers, Alchemy and, for the API, the dashboard's sign-in. */
export async function openAdapters(
  loaded: Loaded,
  { log, observability, connected, store, now, fault, messages }: Base,
) {
  const { config, secrets } = loaded
  const { telemetry } = observability
  const evm = evmChains(config, secrets.rpcUrls, { now, onFailure: fault, store, telemetry })
  const newHeads = pushedHeads(secrets.subscriptionUrls, {
    telemetry,
    onTrouble: (chain, error) => fault(`the subscription to new blocks of ${chain}`, error),
    onRecovered: (chain) =>
      log.write('CHAIN_RECOVERED', { chain, work: 'subscription' }, 'The node pushes new blocks again.'),
  })
  const blacklist = cachedBlacklist(store.blacklist, now)
  const pauses = cachedPauses(store.pauses, now)
  const wakeNow = wakeNowOrMakeDue({ executions: store.executions, wakes: messages.wakes, now })
  const { providers, relayPrices, requestsLeft } = routingProviders(loaded, {
    bridges: lifiBridges,
    rules: rulesFor(config),
    store,
    pauses,
    tokens: connected.tokens,
    onGateChange: gateLog(log),
    onAnswer: (route) =>
      void wakeAnswered(route, { executions: store.executions, wakes: { wakeNow } }).catch((error) =>
        fault('waking deposits after a provider recovered', error),
      ),
    chains: evm.withBreakers,
    telemetry,
    now,
  })
  await Promise.all([blacklist.refresh(), pauses.refresh()])
  const watcher = alchemy(alchemySettings(loaded), {
    scanCursors: store.scanCursors,
    limitCounters: store.limitCounters,
    pointers: messages.pointers,
    now,
    onTrouble: (work, error) => fault(`Alchemy, ${work}`, error),
    onPaused: (chainId) => log.write('WEBHOOK_RESUMED', { chain: chainKeyOf(chainId) }),
  })
  const { connection } = connected
  const pages = config.roles.includes('api')
    ? dashboardPorts(connection, { config, secrets, store, log, now })
    : undefined
  return { evm, newHeads, providers, relayPrices, requestsLeft, blacklist, pauses, watcher, pages }
}

function alchemySettings({ config, secrets }: Loaded): AlchemyConfig {
  return {
    authToken: secrets.alchemyAuthToken,
    notifyUrl: config.alchemyNotifyUrl,
    webhookUrl: config.alchemyWebhookUrl,
    rpcUrls: secrets.alchemyRpcUrls,
    signingKeys: perChain((_id, key) => secrets.alchemySigningKeys[key]),
  }
}
