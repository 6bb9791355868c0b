import { chainIds, chainKeyOf } from '../../domain/chain/chain'
import { loadConfig } from '../config/config'
import { forgetKeys } from '../config/config-keys'
import { nodesBill } from '../nodes-bill'
import { createService, createWorker } from '../service'
import { stopRequested } from '../stop-requested'
import { version } from '../version'
import { openAdapters } from './adapters'
import { openBase } from './base'
import { keepFresh } from './keep-fresh'
import { orderPartsOf } from './order-parts'
import { portsOf, settingsOf } from './service-parts'

const drainMaxMs = 15_000

/**
 * The process: configuration, adapters, service, roles, drain.
 *
 * @returns when it has stopped.
 */
export async function runProcess(env: Record<string, string | undefined>): Promise<void> {
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
