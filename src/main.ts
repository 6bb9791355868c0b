import { randomBytes } from 'node:crypto'
import { aggregators } from './adapters/aggregators'
import { withCircuitBreaker } from './adapters/aggregators/circuit-breaker'
import { measuredAggregator } from './adapters/aggregators/measured-aggregator'
import { providerProbe } from './adapters/aggregators/provider-probe'
import { cachedBlacklist } from './adapters/caches/blacklist-cache'
import { cachedPauses } from './adapters/caches/pause-cache'
import { databaseClock } from './adapters/clock'
import { hmacSeals, noSeals } from './adapters/hmac-seals'
import { natsUseNews } from './adapters/limits/nats-use-news'
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
import { pricing } from './app/pricing'
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
import { routeObjection } from './signer/route-objection'
import { lifiBridges, lifiRules } from './signer/route-rules'

const refreshMs = 500
const clockMs = 60_000
const drainMaxMs = 15_000
const indexesLateMs = 3_000

/**
 * The process: configuration, adapters, service, roles, drain.
 *
 * @returns when it has stopped.
 */
export async function main(env: Record<string, string | undefined>): Promise<void> {
  const loaded = loadConfig(env)
  const { config, secrets, keys } = loaded
  forgetKeys(env)
  const name = `${process.pid}-${randomBytes(4).toString('hex')}`
  const { log, ...observability } = await openLog(loaded, name)
  const { meters, telemetry, tracing } = observability
  const connected = await connections(loaded, log)
  const { tokens, connection, nats } = connected
  const store = mongoStore(connection, name)
  const { now, keep } = await databaseClock(store.time)
  const fault = rateLimitedLog(log, now)
  const bell = natsBell(nats, { onTrouble: (error) => fault('nats', error), telemetry })
  const lateIndexes = setTimeout(() => log.say('INDEXES_LATE'), indexesLateMs)
  await Promise.all([store.ensureIndexes(), bell.ensureStreams()])
  clearTimeout(lateIndexes)

  const evm = evmChains(config, secrets.rpcUrls, { now, onRest: fault, telemetry })
  const providers = aggregators({
    lifi: { url: config.lifiUrl, apiKey: secrets.lifiApiKey, bridges: lifiBridges },
    relay: config.relayUrl ? { url: config.relayUrl, apiKey: secrets.relayApiKey, solver: config.relaySolver } : null,
  }).map((provider) =>
    withCircuitBreaker(measuredAggregator(provider, telemetry), now, {
      rests: store.providerRests,
      onChange: restNews(log),
    }),
  )
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
  let isDraining = false
  const pages = config.roles.includes('api') ? dashboardPorts(connection, { config, secrets, store, log }) : undefined

  const rules = [...lifiRules(), ...(config.relayUrl ? relayRules(config.relaySolver) : [])]
  const { signerWorth, ...worth } = pricing({ config, secrets, providers, tokens, chains: evm.patient, now })

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
    { log, onAway: fault },
  )
  const freshHead = verified.before(evm.freshHead)
  const ports: ServicePorts = {
    stores: { ...store, blacklist, blacklistEntries: store.blacklist },
    ...bell,
    ...evm,
    freshHead,
    assureAddresses: verified.assureAny,
    aggregators: providers,
    providerHealth: () => Promise.all(providers.map((provider) => provider.health())),
    ...worth,
    misreads: routeObjection(rules, { now }),
    seals,
    drafter: policyDrafter(orderPolicy),
    relayers: relayersKnown,
    tokens,
    pauses,
    log,
    ...observability,
    now,
    random: Math.random,
    signedFor: watcher.signedFor,
    useNews: natsUseNews(nats, name),
    dashboard: pages,
    readiness: {
      isDraining: () => isDraining,
      checks: { mongodb: store.assureWritable },
      degrading: {
        nats: () => nats.flush(),
        ...Object.fromEntries(chainKeys.map((key) => [key, () => freshHead(chains[key].id)])),
      },
    },
  }
  const settings = settingsOf(loaded)
  const service = createService(ports, settings)
  const worker = signing && createWorker(service, signing, ports, settings)

  const probeProviders = providerProbe({ providers, tokens, now })
  const refresh = () => Promise.all([blacklist.refresh(), pauses.refresh(), probeProviders()])
  const refreshTimer = setInterval(() => void refresh().catch((error) => fault('refreshing', error)), refreshMs)
  const clockTimer = setInterval(() => void keep().catch((error) => fault('clock', error)), clockMs)
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
  clearInterval(refreshTimer)
  clearInterval(clockTimer)
  await Promise.all([has('scanner') && service.detection.stop(), worker?.stop(), service.operators.stop()])
  await service.api.stop(false)
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

function settingsOf({ config, secrets }: ReturnType<typeof loadConfig>): ServiceSettings {
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

function alchemySettings({ config, secrets }: ReturnType<typeof loadConfig>): AlchemyConfig {
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
