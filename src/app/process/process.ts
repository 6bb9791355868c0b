import { chainIds, chainKeyOf } from '../../domain/chain/chain'
import { loadConfig } from '../config/config'
import { forgetKeys } from '../config/config-keys'
import { nodesBill } from '../nodes-bill'
import { createWorker } from '../parts/routing'
import { createService } from '../service'
import { stopRequested } from '../stop-requested'
import { version } from '../version'
import { openAdapters } from './adapters'
import { openBase } from './base'
import { keepFresh } from './keep-fresh'
import { openKeys } from './open-keys'
import { orderPartsOf } from './order-parts'
import { portsOf, settingsOf } from './service-parts'

/** Time for work in progress after a stop request, not counting the API's delay. */
export const drainMaxMs = 15_000

/**
 * Runs the process: configuration, adapters, service, roles, drain.
 *
 * @returns a promise that resolves when it has stopped.
 */
export async function runProcess(env: Record<string, string | undefined>): Promise<void> {
  const loaded = loadConfig(env)
  const { config } = loaded
  forgetKeys(env)
  if (config.roles.includes('signer')) return (await import('./signer-process')).runSigner(loaded)
  const openedKeys = await openKeys(loaded)
  const base = await openBase(loaded)
  const { log, fault, store, connected } = base
  const { meters, tracing } = base.observability
  const adapters = await openAdapters(loaded, base)
  const { watcher } = adapters
  let isDraining = false
  const orders = orderPartsOf(loaded, base, adapters, openedKeys)
  const { signing, verified } = orders
  const bill = nodesBill({
    nodeRequests: store.nodeRequests,
    observations: store.observations,
    meters,
    budgets: config.rpcBudgets,
    log,
    now: base.now,
    onTrouble: (error) => fault('the nodes’ bill', error),
  })
  const ports = portsOf(loaded, base, adapters, { ...orders, bill, receiptKey: openedKeys.receipt }, () => isDraining)
  const settings = settingsOf(loaded)
  const service = createService(ports, settings)
  const worker = signing && createWorker(service, signing, ports, settings)

  const has = (role: (typeof config.roles)[number]) => config.roles.includes(role)
  const background = service.background.filter(({ role }) => role === null || has(role)).map(({ task }) => task)
  const running = [...(has('scanner') ? [service.detection] : []), ...(worker ? [worker] : []), ...background]
  const stopRefreshing = keepFresh(base, adapters, {
    asksProviders: has('api') || has('worker'),
    retentionDays: config.retentionDays,
  })
  bill.start()
  service.api.listen({ port: config.port, hostname: config.host })
  const url = `http://${config.host}:${service.api.server!.port}`
  const stopping = stopRequested(log, meters)
  log.write('STARTED', { url, roles: config.roles, chains: chainIds.map(chainKeyOf), version })
  void verified.start().then((isRefused) => isRefused && end(1))
  await Promise.race([work(), stopping])
  // Load balancers need this time to see in /ready that requests must go elsewhere. A person at a terminal does not.
  const delayMs = (await stopping) === 'SIGTERM' && has('api') ? config.shutdownDelayMs : 0
  isDraining = true
  watcher.stop()
  verified.stop()
  const drainLimit = setTimeout(() => void end(1), delayMs + drainMaxMs)
  // Each stage needs what the later ones stop.
  const stages: (() => unknown)[][] = [
    [...running.map(({ stop }) => stop), () => Bun.sleep(delayMs)],
    [() => service.api.stop(false)],
    [stopRefreshing],
    [bill.stop],
    [() => store.requestLog.settle().catch((error) => fault('request counts', error))],
    [connected.close],
    [() => tracing?.stop()],
  ]
  for (const stage of stages) await Promise.all(stage.map((stop) => stop()))
  clearTimeout(drainLimit)
  log.write('STOPPED')
  await end(0)

  async function work(): Promise<void> {
    if (has('scanner') || has('api')) await watcher.start(has('scanner') ? service.detection : null)
    if (isDraining) return
    for (const { start } of running) start()
  }

  async function end(code: number): Promise<never> {
    await log.close()
    process.exit(code)
  }
}
