import { randomBytes } from 'node:crypto'
import { providerProbe } from './adapters/aggregators/provider-probe'
import { cachedBlacklist } from './adapters/caches/blacklist-cache'
import { cachedPauses } from './adapters/caches/pause-cache'
import { databaseClock } from './adapters/clock'
import { cachedCall } from './adapters/evm/cached-call'
import { hmacSeals, noSeals } from './adapters/hmac-seals'
import { natsUseNews } from './adapters/limits/nats-use-news'
import { sharedGasBooks } from './adapters/limits/shared-gas-books'
import { mongoStore } from './adapters/mongo/mongo-store'
import { natsBell } from './adapters/nats/nats-bell'
import { type AlchemyConfig, alchemy } from './app/alchemy'
import { loadConfig } from './app/config/config'
import { forgetKeys } from './app/config/config-keys'
import { connections } from './app/connections'
import { dashboardPorts } from './app/dashboard-ports'
import { evmChains } from './app/evm-chains'
import { openLog } from './app/logging/open-log'
import { rateLimitedLog, restNews } from './app/logging/outcome-log'
import { type NodesBill, nodesBill } from './app/nodes-bill'
import { pricing } from './app/pricing'
import { routingProviders } from './app/routing-providers'
import { createService, createWorker } from './app/service'
import type { ServicePorts, ServiceSettings } from './app/service-ports'
import { startFailure } from './app/start-failure'
import { stopRequested } from './app/stop-requested'
import { verification } from './app/verification'
import { version } from './app/version'
import { implementationAddressOf } from './domain/chain/account'
import { chainIds, chainKeyOf, chainKeys, chains, perChain } from './domain/chain/chain'
import { policyDrafter, policySigner } from './signer/policy-signer'
import { relayRules } from './signer/relay-deposit'
import { relayerAddresses, relayers } from './signer/relayers'
import { lifiBridges, lifiRules, routeObjection } from './signer/route-rules'

const refreshMs = 500
/** How long a chain whose head advances counts as well for whoever asks whether this process is ready. */
const readyLookMs = 5 * 60_000
const clockMs = 60_000
const retentionMs = 60_000
const drainMaxMs = 15_000
const indexesLateMs = 3_000

/**
 * The process: configuration, adapters, service, roles, drain.
 *
 * @returns when it has stopped.
 */
export async function main(env: Record<string, string | undefined>): Promise<void> {
  const loaded = loadConfig(env)
  const { config } = loaded
  forgetKeys(env)
  const base = await openBase(loaded)
  const { log, fault, store, connected } = base
  const { meters, tracing } = base.observability
  const adapters = await openAdapters(loaded, base)
  const { watcher } = adapters
  let isDraining = false
  const orders = orderPartsOf(loaded, base, adapters)
  const { signing, verified } = orders
  const bill = nodesBill({
    ...store,
    meters,
    budgets: config.rpcBudgets,
    log,
    now: base.now,
    onTrouble: (error) => fault('the nodes’ bill', error),
  })
  const ports = portsOf(loaded, base, adapters, { ...orders, bill }, () => isDraining)
  const settings = settingsOf(loaded)
  const service = createService(ports, settings)
  const worker = signing && createWorker(service, signing, ports, settings)

  const stopRefreshing = keepFresh(base, adapters)
  bill.start()
  const has = (role: (typeof config.roles)[number]) => config.roles.includes(role)
  service.api.listen({ port: config.port, hostname: config.host })
  const url = `http://${config.host}:${service.api.server!.port}`
  const stopping = stopRequested(log, meters)
  log.say('STARTED', { url, roles: config.roles, chains: chainIds.map(chainKeyOf), version })
  void verified.start().then((isRefused) => isRefused && end(1))
  await Promise.race([work(), stopping])
  await stopping
  isDraining = true
  watcher.stop()
  verified.stop()
  const drainLimit = setTimeout(() => void end(1), drainMaxMs)
  stopRefreshing()
  await Promise.all([has('scanner') && service.detection.stop(), worker?.stop(), service.operators.stop()])
  await service.api.stop(false)
  await bill.stop()
  await store.requestLog.settle().catch((error) => fault('request counts', error))
  await connected.close()
  await tracing?.stop()
  clearTimeout(drainLimit)
  log.say('STOPPED')
  await end(0)

  async function work(): Promise<void> {
    await watcher.start(has('scanner') ? service.detection : null)
    if (isDraining) return
    if (has('scanner')) service.detection.start()
    worker?.start()
    if (has('worker')) service.operators.start()
  }

  async function end(code: number): Promise<never> {
    await log.close()
    process.exit(code)
  }
}

type Loaded = ReturnType<typeof loadConfig>
type Base = Awaited<ReturnType<typeof openBase>>
type Adapters = Awaited<ReturnType<typeof openAdapters>>
type OrderParts = ReturnType<typeof orderPartsOf>

/** Opens what everything else needs: the log, the database with its clock, and the bell. */
async function openBase(loaded: Loaded) {
  const name = `${process.pid}-${randomBytes(4).toString('hex')}`
  const { log, ...observability } = await openLog(loaded, name)
  const { telemetry } = observability
  const connected = await connections(loaded, log)
  const store = mongoStore(connected.connection, name)
  const { now, keep } = await databaseClock(store.time)
  const fault = rateLimitedLog(log, now)
  const bell = natsBell(connected.nats, {
    replicas: loaded.config.natsReplicas,
    onTrouble: (error) => fault('nats', error),
    onChange: connected.noteNats,
    telemetry,
  })
  const lateIndexes = setTimeout(() => log.say('INDEXES_LATE'), indexesLateMs)
  await Promise.all([store.ensureIndexes(), bell.ensureStreams()])
  clearTimeout(lateIndexes)
  const owed = await store.migrations.owed()
  if (owed.length > 0) log.say('MIGRATION_OWED', { migrations: owed })
  return { name, log, observability, connected, store, now, keepTime: keep, fault, bell }
}

/** Opens what reaches outside: the chains, the routing providers, Alchemy, and for the API the dashboard's sign-in. */
async function openAdapters(loaded: Loaded, { log, observability, connected, store, now, fault, bell }: Base) {
  const { config, secrets } = loaded
  const { telemetry } = observability
  const evm = evmChains(config, secrets.rpcUrls, { now, onRest: fault, telemetry })
  const routing = { bridges: lifiBridges, store, onRest: restNews(log), telemetry, now }
  const { providers, relayPrices } = routingProviders(loaded, routing)
  const blacklist = cachedBlacklist(store.blacklist, now)
  const pauses = cachedPauses(store.pauses, now)
  await Promise.all([blacklist.refresh(), pauses.refresh()])
  const watcher = alchemy(alchemySettings(loaded), {
    ...store,
    ...bell,
    now,
    onTrouble: (work, error) => fault(`Alchemy, ${work}`, error),
    onPaused: (chainId) => log.say('WEBHOOK_RESUMED', { chain: chainKeyOf(chainId) }),
  })
  const { connection } = connected
  const pages = config.roles.includes('api') ? dashboardPorts(connection, { config, secrets, store, log }) : undefined
  return { evm, providers, relayPrices, blacklist, pauses, watcher, pages }
}

/** Builds what prices, drafts and verifies orders, and what signs them in the process that has the keys. */
function orderPartsOf(
  loaded: Loaded,
  { log, observability, connected, store, now, fault }: Base,
  { evm, providers, relayPrices }: Adapters,
) {
  const { config, secrets, keys } = loaded
  const { tokens } = connected
  const { telemetry } = observability
  const rules = [...lifiRules(), ...(config.relayUrl ? relayRules(config.relaySolver) : [])]
  const sources = { providers, relayPrices, chains: evm.patient }
  const { signerWorth, ...worth } = pricing({ secrets, ...sources, tokens, now, telemetry })

  // A process that neither serves integrators nor signs makes no seals and believes none.
  const seals = keys.intentMac ? hmacSeals(keys.intentMac) : noSeals
  const orderPolicy = { rules, ...config, ...store }
  const signing = keys.signing && {
    signer: policySigner({ ...orderPolicy, seals, ...signerWorth, privateKey: keys.signing.routeSigner }),
    relayers: relayers(keys.signing.relayers, config.executor, config.formerExecutors),
  }
  const relayersKnown = signing?.relayers ?? relayerAddresses(config.relayerAddresses)
  const verified = verification(
    { config, secrets, keys, rules, relayers: relayersKnown, tokens },
    { log, onAway: fault, telemetry },
  )
  return { rules, worth, seals, signing, relayersKnown, verified, drafter: policyDrafter(orderPolicy) }
}

function portsOf(
  { config }: Loaded,
  base: Base,
  adapters: Adapters,
  { bill, ...orders }: OrderParts & { bill: NodesBill },
  isDraining: () => boolean,
): ServicePorts {
  const { name, log, observability, connected, store, now, bell } = base
  const { evm, providers, blacklist, pauses, watcher, pages } = adapters
  const { verified } = orders
  const { nats } = connected
  const freshHead = verified.before(evm.freshHead)
  // When chains are polled often anyway, one more look costs nothing.
  const headLookMs = config.chainPollMs === null ? readyLookMs : 0
  return {
    stores: { ...store, blacklist, blacklistEntries: store.blacklist },
    ...bell,
    ...evm,
    freshHead,
    assureAddresses: verified.assureAny,
    aggregators: providers,
    gasBooks: sharedGasBooks({ books: store.gasBooks, now }),
    providerHealth: () => Promise.all(providers.map((provider) => provider.health())),
    ...orders.worth,
    misreads: routeObjection(orders.rules, { now }),
    seals: orders.seals,
    drafter: orders.drafter,
    relayers: orders.relayersKnown,
    tokens: connected.tokens,
    pauses,
    log,
    ...observability,
    now,
    random: Math.random,
    name,
    isFed: watcher.isFed,
    bill,
    signedFor: watcher.signedFor,
    useNews: natsUseNews(nats, name),
    dashboard: pages,
    readiness: {
      isDraining,
      checks: { mongodb: store.assureWritable },
      degrading: {
        nats: bell.assureAnswering,
        ...Object.fromEntries(chainKeys.map((key) => [key, cachedCall(() => freshHead(chains[key].id), headLookMs)])),
      },
    },
  }
}

/**
 * Keeps fresh what is held in memory: the blacklist, the pauses, the providers' state and the clock.
 *
 * @returns what ends it.
 */
function keepFresh(
  { connected, store, now, keepTime, fault }: Base,
  { providers, blacklist, pauses }: Adapters,
): () => void {
  const probeProviders = providerProbe({ providers, tokens: connected.tokens, now })
  const refresh = () => Promise.all([blacklist.refresh(), pauses.refresh(), probeProviders()])
  const refreshTimer = setInterval(() => void refresh().catch((error) => fault('refreshing', error)), refreshMs)
  const clockTimer = setInterval(() => void keepTime().catch((error) => fault('clock', error)), clockMs)
  const forget = () => void store.retention.sweep().catch((error) => fault('deleting what is kept no longer', error))
  const retentionTimer = setInterval(forget, retentionMs)
  return () => {
    clearInterval(retentionTimer)
    clearInterval(refreshTimer)
    clearInterval(clockTimer)
  }
}

function settingsOf({ config, secrets }: Loaded): ServiceSettings {
  return {
    isApi: config.roles.includes('api'),
    factory: { registry: config.registry, implementation: implementationAddressOf(config.registry) },
    docs: { version, serverUrl: config.publicUrl },
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies,
    beat: { concurrency: config.concurrency, sweepMs: config.sweepMs, tendMs: config.tendMs },
    quoteTimeoutMs: config.quoteTimeoutMs,
    dustFloorUsd: config.dustFloorUsd,
    quorumUsd: config.quorumUsd,
    orderSeconds: config.orderSeconds,
    retry: config.retry,
    chainPollMs: config.chainPollMs,
    metricsToken: secrets.metricsToken,
  }
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

/** The entry point of the program, which ends the process itself. */
export const run = (): Promise<void> =>
  main(process.env).catch((error) => {
    console.error(startFailure(error))
    process.exit(1)
  })

if (import.meta.main) await run()
