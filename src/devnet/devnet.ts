import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ChainId, type ChainKey, chainKeys, chains, perChain, perChainKey } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import { startAlchemyServer } from './alchemy/alchemy-server'
import { AlchemyWebhooks, alchemyToken } from './alchemy/alchemy-webhooks'
import { AssetTransfers } from './alchemy/asset-transfers'
import { WebhookPoster } from './alchemy/webhook-poster'
import { BridgeLedger } from './bridge/bridge-ledger'
import { BridgeSolver } from './bridge/bridge-solver'
import { CctpAttester } from './cctp/cctp-attester'
import { startCctpServer } from './cctp/cctp-server'
import { accounts } from './chains/accounts'
import { bridgeAddress, devnetContracts } from './chains/contracts'
import { genesisAgeSeconds } from './chains/deploy'
import { type DevChain, startDevChain } from './chains/dev-chain'
import { sendDeposit } from './chains/faucet'
import { tokenList, tokenOf, tokens } from './chains/tokens'
import { startControlServer } from './control-server'
import { devnetClock } from './devnet-clock'
import type { Devnet, DevnetChain, DevnetOptions, DevnetPort } from './devnet-type'
import { Faults } from './faults'
import { startLifiServer } from './lifi/lifi-server'
import { RateLimits } from './rate-limits'
import { startRelayServer } from './relay/relay-server'
import { RelaySolver } from './relay/relay-solver'
import { startRpcProxy } from './rpc/rpc-proxy'
import { claimPort } from './servers/free-port'
import { serviceEnv } from './service-env'

export type { Devnet, DevnetChain, DevnetOptions, DevnetPort } from './devnet-type'

/** Starts five chains with contracts and tokens, a bridge, and stand-ins for LI.FI, Relay, Circle and Alchemy. */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { report = () => {}, watchesAll = true } = options
  const dir = join(options.dir, 'devnet')
  mkdirSync(dir, { recursive: true })
  const stops: Stop[] = []
  let stopping: Promise<void> | null = null
  const stop = () => {
    stopping ??= (async () => {
      for (const end of stops.toReversed()) await end()
    })()
    return stopping
  }
  try {
    const startedAt = performance.now()
    const faults = new Faults()
    const webhooks = new AlchemyWebhooks(options.webhookUrl ?? '', watchesAll)
    const devChains = await startChains(options, dir, stops)
    report(`five chains with contracts and tokens (${Math.round(performance.now() - startedAt)} ms)`)
    const servers = await startServers({ options, devChains, faults, webhooks, stops })
    const tokenListPath = join(options.dir, 'tokens.json')
    writeFileSync(tokenListPath, `${JSON.stringify(tokenList(), null, 2)}\n`)
    report(`bridge, LI.FI, Relay, Circle, Alchemy and controls (${Math.round(performance.now() - startedAt)} ms)`)
    return describeDevnet({ devChains, webhooks, watchesAll, tokenListPath, stop, ...servers })
  } catch (error) {
    await stop()
    throw error
  }
}

type Stop = () => unknown
type DevChains = ReadonlyMap<ChainKey, DevChain>

/** Starts all chains at the same time. A chain that has started is stopped even if another one fails. */
async function startChains(options: DevnetOptions, dir: string, stops: Stop[]): Promise<DevChains> {
  const { blockTimeSeconds = 0.1, isEmpty = false, report = () => {} } = options
  const genesisTime = Math.floor(devnetClock() / 1000) - genesisAgeSeconds
  const results = await Promise.allSettled(
    chainKeys.map(async (key) => {
      const chain = await startDevChain({ key, dir, genesisTime, blockTimeSeconds, isEmpty, report })
      stops.unshift(() => chain.stop())
      return chain
    }),
  )
  const byKey = new Map<ChainKey, DevChain>()
  for (const result of results) {
    if (result.status === 'rejected') throw result.reason
    byKey.set(result.value.key, result.value)
  }
  return byKey
}

type ServerContext = {
  options: DevnetOptions
  devChains: DevChains
  faults: Faults
  webhooks: AlchemyWebhooks
  stops: Stop[]
}

/** Starts the bridge, the proxies before the nodes, the stand-ins for the providers, and the controls. */
async function startServers({ options, devChains, faults, webhooks, stops }: ServerContext) {
  const { ports = {}, report = () => {} } = options
  const portOf = async (name: DevnetPort) =>
    ports[name] === undefined ? 0 : claimPort(ports[name], `the devnet (${name})`)
  const keepForStop = <Server extends { stop: Stop }>(server: Server): Server => {
    stops.push(server.stop)
    return server
  }
  const byId = new Map([...devChains.values()].map((chain) => [chain.id, chain]))
  const limits = new RateLimits()
  const ledger = new BridgeLedger()
  const solver = new BridgeSolver(byId, ledger, faults, report)
  const poster = new WebhookPoster(webhooks, faults)
  stops.push(() => poster.stop())
  const transfers = new AssetTransfers()
  for (const chain of devChains.values()) {
    ledger.follow(chain)
    poster.follow(chain)
    transfers.follow(chain)
  }
  const rpcUrls = new Map<ChainKey, string>()
  for (const chain of devChains.values())
    rpcUrls.set(chain.key, keepForStop(await startRpcProxy(chain, faults, await portOf(chain.key))).url)
  const lifi = keepForStop(startLifiServer(byId, ledger, { faults, limits }, await portOf('lifi')))
  const relaySolver = new RelaySolver(byId, faults, report)
  const relay = keepForStop(startRelayServer(relaySolver, { faults, limits }, await portOf('relay')))
  const attester = new CctpAttester(byId, faults)
  const cctp = keepForStop(startCctpServer(attester, { faults, limits }, await portOf('cctp')))
  const alchemy = keepForStop(startAlchemyServer(webhooks, transfers, await portOf('alchemy')))
  const world = { chains: devChains, solver, faults, limits }
  const control = keepForStop(await startControlServer(world, await portOf('control')))
  return { rpcUrls, lifi, relay, cctp, alchemy, control }
}

type Parts = Awaited<ReturnType<typeof startServers>> & {
  devChains: DevChains
  webhooks: AlchemyWebhooks
  watchesAll: boolean
  tokenListPath: string
  stop: () => Promise<void>
}

function describeDevnet(parts: Parts): Devnet {
  const { devChains, webhooks, watchesAll, rpcUrls, lifi, relay, cctp, alchemy, control, tokenListPath, stop } = parts
  const chainOf = (key: ChainKey): DevChain => devChains.get(key)!
  const devnet: Devnet = {
    chains: perChain((id, key) => ({
      key,
      rpcUrl: rpcUrls.get(key)!,
      nativeSymbol: chains[key].native.symbol,
      tokens: tokensOf(id),
    })),
    contracts: contractAddresses(),
    keys: devnetKeys(),
    lifiUrl: lifi.url,
    relayUrl: relay.url,
    cctpUrl: cctp.url,
    controlUrl: control.url,
    alchemyUrl: alchemy.url,
    alchemyToken,
    alchemyRpcUrls: perChainKey((key) => `${alchemy.rpcUrl}/${chains[key].alchemyHost}`),
    get registration() {
      return watchesAll || !webhooks.url ? null : { webhookUrl: webhooks.url }
    },
    webhookSigningKeys: perChainKey((key) => webhooks.find(`wh_devnet_${key}`)!.signing_key),
    tokenListPath,
    processes: Object.fromEntries([...devChains.values()].map(({ key, pid }) => [`anvil-${key}`, pid])),
    setWebhookUrl: (url) => webhooks.setUrl(url),
    sendDeposit: (deposit) => sendDeposit(chainOf(deposit.chainKey), deposit),
    waitForReceipt: (key, hash) => chainOf(key).receiptOf(hash),
    balanceOf: (key, token, owner) => chainOf(key).balanceOf(addressOf(chains[key].id, token), owner),
    serviceEnv: () => serviceEnv(devnet),
    stop,
  }
  return devnet
}

function contractAddresses(): Devnet['contracts'] {
  const { registry, executor, recoveryExecutor, lens, guards } = devnetContracts()
  return {
    registry: registry.address,
    executor: executor.address,
    recoveryExecutor: recoveryExecutor.address,
    lens: lens.address,
    bridge: bridgeAddress,
    guards: Object.fromEntries(Object.entries(guards).map(([name, { address }]) => [name, address])),
  }
}

const devnetKeys = (): Devnet['keys'] => ({
  routeSigner: accounts.routeSigner.privateKey,
  relayers: accounts.relayers.map(({ privateKey }) => privateKey),
  faucet: accounts.faucet.privateKey,
  collector: accounts.collector.address,
  admin: accounts.admin.privateKey,
  guardian: accounts.guardian.privateKey,
  recovery: accounts.recovery.privateKey,
})

const tokensOf = (id: ChainId): DevnetChain['tokens'] =>
  Object.fromEntries(
    tokens
      .filter(({ chainId }) => chainId === id)
      .map(({ symbol, address, decimals }) => [symbol, { address, decimals }]),
  )

function addressOf(id: ChainId, token: string): Address {
  const pricedToken = tokenOf(id, token)
  if (!pricedToken) throw new Error(`There is no token ${token} on chain ${id}`)
  return pricedToken.address
}
