import { randomBytes } from 'node:crypto'
import { wallClock } from '../../adapters/clock'
import { dailyCaps } from '../../adapters/evm/daily-caps'
import { memoryRecords } from '../../adapters/memory-records'
import { readTokenList } from '../../adapters/prices/token-list'
import { signerServer } from '../../adapters/signer/signer-server'
import { openSigningLog } from '../../adapters/signer/signing-log'
import { chainIds, chainKeyOf } from '../../domain/chain/chain'
import { createProbes } from '../../http/routes/probes'
import type { Signing, SigningEntry, SigningKey, SigningLog } from '../../ports/signer'
import { rulesFor } from '../../signer/all-rules'
import { type HourlyCaps, hourlyCaps } from '../../signer/hourly-caps'
import { relayerAddresses } from '../../signer/relayers'
import { lifiBridges } from '../../signer/route-rules'
import { signedOnce } from '../../signer/signed-once'
import { signing } from '../../signer/signing'
import { evmChains } from '../evm-chains'
import { openLog } from '../logging/open-log'
import { gateLog, onFailureOf, rateLimitedLog } from '../logging/outcome-log'
import { pricing } from '../pricing'
import { routingProviders } from '../routing-providers'
import { stopRequested } from '../stop-requested'
import { verification } from '../verification'
import { version } from '../version'
import type { Loaded } from './base'
import { openKeys } from './open-keys'
import { sealsOf } from './order-parts'

/** Time for responses in progress after a stop request. */
const drainMaxMs = 15_000

/**
 * Runs the signer role, which holds the order signing key and no other key that moves money. It connects to neither the
 * database nor NATS. Workers send it everything, and it trusts only what it can verify by seals, nodes and its own
 * prices.
 *
 * @returns a promise that resolves when it has stopped.
 */
export async function runSigner(loaded: Loaded): Promise<void> {
  const { config, secrets, keys } = loaded
  const { routeSigner } = await openKeys(loaded)
  const { log, ...observability } = await openLog(loaded, `${process.pid}-${randomBytes(4).toString('hex')}`)
  const { meters, telemetry, tracing } = observability
  log.write('STARTING', { roles: config.roles, version })
  const now = wallClock
  const fault = rateLimitedLog(log, now)
  const noteBug = onFailureOf(log, now, meters)
  const caps = hourlyCaps({
    dailyCap: dailyCaps({ rpcUrls: secrets.rpcUrls, executor: config.executor, telemetry }),
    percent: config.signerHourlyPercent,
    organizationPercent: config.signerOrganizationPercent,
    now,
    onReached: (reached) => log.write('SIGNER_HOUR_FULL', { ...reached, chain: chainKeyOf(reached.chainId) }),
  })
  const noteSigned = (entry: SigningEntry, at: number) => entry.event === 'SIGNED' && caps.note(entry, at)
  const [signingLog, tokens] = await Promise.all([
    openSigningLog(config.signerLogPath!, { now, onBroken: onBrokenLog, onEntry: noteSigned }),
    readTokenList(config.tokenList),
  ])
  const { address } = routeSigner!
  const context = { key: routeSigner!, tokens, now, fault, telemetry, log }
  const { verified, freshHead, signingOnce } = signingParts(loaded, context)
  const server = signerServer({
    listen: config.signerListen,
    accessKeys: keys.signerAccess!,
    tls: config.signerTls,
    signing: signingOnce(signingLog, caps),
    logHead: signingLog.head,
    status: () => ({ address, at: now(), version, log: signingLog.head() }),
    now,
    onOutcome: (outcome) => meters.count('signer_requests_total', { outcome }),
    onDenied: (why) => fault('a request to the signer', new Error(why)),
    onMalformed: (paths) => fault('a request to the signer', new Error(`Its form is wrong at ${paths.join(', ')}`)),
    onBug: (error) => noteBug(error, { requestId: '', route: 'signer' }),
  })
  let isDraining = false
  const probes = createProbes({
    noteBug,
    now,
    readiness: {
      isDraining: () => isDraining,
      checks: { signingLog: signingLog.check },
      degrading: Object.fromEntries(chainIds.map((id) => [chainKeyOf(id), () => freshHead(id)])),
    },
    metrics: { gauges: [], counters: meters.counted, histograms: meters.timed, token: secrets.metricsToken },
  })
  const stopping = stopRequested(log, meters)
  probes.listen({ port: config.port, hostname: config.host })
  log.write('STARTED', { url: server.url, roles: config.roles, chains: chainIds.map(chainKeyOf), address, version })
  void verified.start().then((isRefused) => isRefused && end(1))
  await stopping
  isDraining = true
  verified.stop()
  const drainLimit = setTimeout(() => void end(1), drainMaxMs)
  await server.stop()
  await probes.stop(false)
  await signingLog.close()
  await tracing?.stop()
  clearTimeout(drainLimit)
  log.write('STOPPED')
  await end(0)

  /** After a failed write the file's content is unknown. The next start reads it and repairs its last line. */
  function onBrokenLog(error: unknown): void {
    log.write('SIGNING_LOG_FAILED', { error })
    void end(1)
  }

  async function end(code: number): Promise<never> {
    await log.close()
    process.exit(code)
  }
}

type Context = Pick<Awaited<ReturnType<typeof openLog>>, 'log' | 'telemetry'> & {
  key: SigningKey
  tokens: Awaited<ReturnType<typeof readTokenList>>
  now: () => number
  fault: ReturnType<typeof rateLimitedLog>
}

/** Builds the signer with its own prices, limits and circuits, because it shares no store. */
function signingParts(loaded: Loaded, { key, tokens, now, fault, telemetry, log }: Context) {
  const { config, secrets, keys } = loaded
  const [providerBudgets, providerGates] = [memoryRecords<never>(), memoryRecords<never>()]
  const store = { providerBudgets, providerGates, nodeTroubles: memoryRecords<never>() }
  const evm = evmChains(config, secrets.rpcUrls, { now, onFailure: fault, store, telemetry })
  const rules = rulesFor(config)
  const onGateChange = gateLog(log)
  const routing = { bridges: lifiBridges, rules, store, tokens, onGateChange, chains: evm.withBreakers, telemetry, now }
  const sources = { ...routingProviders(loaded, routing), chains: evm.withBreakers, tokens }
  const { signerWorth } = pricing({ secrets, ...sources, priceBooks: memoryRecords(), now, telemetry })
  const core = signing({ ...config, rules, seals: sealsOf(keys), ...signerWorth, key })
  const relayers = relayerAddresses(config.relayerAddresses)
  const verified = verification(
    { config, secrets, signers: [key.address], rules, relayers, tokens },
    { log, onUnavailable: fault, telemetry },
  )
  const { orderSeconds } = config
  const freshHead = verified.before(evm.freshHead)
  const signingOnce = (log: SigningLog, caps: HourlyCaps): Signing =>
    signedOnce(core, { log, caps, freshHead, orderSeconds })
  return { verified, freshHead, signingOnce }
}
