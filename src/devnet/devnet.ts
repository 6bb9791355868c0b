import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ChainId, type ChainKey, chainKeys, chains, perChain } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import { startAlchemyServer } from './alchemy/alchemy-server'
import { AlchemyWebhooks, alchemyToken } from './alchemy/alchemy-webhooks'
import { AssetTransfers, alchemyHost } from './alchemy/asset-transfers'
import { WebhookPoster } from './alchemy/webhook-poster'
import { BridgeLedger } from './bridge/bridge-ledger'
import { BridgeSolver } from './bridge/bridge-solver'
import { accounts } from './chains/accounts'
import { bridgeAddress, productContracts } from './chains/contracts'
import { genesisAgeSeconds } from './chains/deploy'
import { type DevChain, startDevChain } from './chains/dev-chain'
import { sendDeposit } from './chains/faucet'
import { tokenList, tokenOf, tokens } from './chains/tokens'
import { startControlServer } from './control-server'
import type { Devnet, DevnetChain, DevnetOptions, DevnetPort } from './devnet-type'
import { Faults } from './faults'
import { startLifiServer } from './lifi/lifi-server'
import { startRelayServer } from './relay/relay-server'
import { RelaySolver } from './relay/relay-solver'
import { startRpcProxy } from './rpc/rpc-proxy'
import { claimPort } from './servers/free-port'
import { serviceEnv } from './service-env'

export type { Devnet, DevnetChain, DevnetOptions, DevnetPort } from './devnet-type'

/** Five chains with contracts and tokens, a bridge, a LI.FI, an Alchemy: the world that the service lives in. */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { ports = {}, blockTimeSeconds = 0.1, report = () => {}, watchesAll = true } = options
  const dir = join(options.dir, 'devnet')
  mkdirSync(dir, { recursive: true })
  const stops: (() => unknown)[] = []
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
    const transfers = new AssetTransfers()
    const genesisTime = Math.floor(Date.now() / 1000) - genesisAgeSeconds
    const started = await Promise.allSettled(
      chainKeys.map(async (key) => {
        const chain = await startDevChain({ key, dir, genesisTime, blockTimeSeconds, report })
        stops.unshift(() => chain.stop())
        return chain
      }),
    )
    const byKey = new Map<ChainKey, DevChain>()
    for (const result of started) {
      if (result.status === 'rejected') throw result.reason
      byKey.set(result.value.key, result.value)
    }
    const byId = new Map([...byKey.values()].map((chain) => [chain.id, chain]))
    report(`five chains with contracts and tokens (${Math.round(performance.now() - startedAt)} ms)`)

    const ledger = new BridgeLedger()
    const solver = new BridgeSolver(byId, ledger, faults, report)
    const poster = new WebhookPoster(webhooks, faults)
    stops.push(() => poster.stop())
    for (const chain of byKey.values()) {
      ledger.follow(chain)
      poster.follow(chain)
      transfers.follow(chain)
    }
    const portOf = async (name: DevnetPort) =>
      ports[name] === undefined ? 0 : claimPort(ports[name], `the devnet (${name})`)
    const proxies = new Map<ChainKey, string>()
    for (const chain of byKey.values()) {
      const proxy = await startRpcProxy(chain, faults, await portOf(chain.key))
      stops.push(proxy.stop)
      proxies.set(chain.key, proxy.url)
    }
    const lifi = startLifiServer(byId, ledger, faults, await portOf('lifi'))
    stops.push(lifi.stop)
    const relay = startRelayServer(new RelaySolver(byId, faults, report), faults, await portOf('relay'))
    stops.push(relay.stop)
    const alchemy = startAlchemyServer(webhooks, transfers, await portOf('alchemy'))
    stops.push(alchemy.stop)
    const control = await startControlServer({ chains: byKey, solver, faults }, await portOf('control'))
    stops.push(control.stop)
    const tokenListPath = join(options.dir, 'tokens.json')
    writeFileSync(tokenListPath, `${JSON.stringify(tokenList(), null, 2)}\n`)
    report(`bridge, LI.FI, Alchemy and controls (${Math.round(performance.now() - startedAt)} ms)`)

    const chainOf = (key: ChainKey): DevChain => byKey.get(key)!
    const { registry, executor, lens, guards } = productContracts()
    const devnet: Devnet = {
      chains: perChain((id, key) => ({
        key,
        rpcUrl: proxies.get(key)!,
        nativeSymbol: chains[key].native.symbol,
        tokens: tokensOf(id),
      })),
      contracts: {
        registry: registry.address,
        executor: executor.address,
        lens: lens.address,
        bridge: bridgeAddress,
        guards: Object.fromEntries(Object.entries(guards).map(([name, { address }]) => [name, address])),
      },
      keys: {
        routeSigner: accounts.routeSigner.privateKey,
        relayers: accounts.relayers.map(({ privateKey }) => privateKey),
        faucet: accounts.faucet.privateKey,
        collector: accounts.collector.address,
        admin: accounts.admin.privateKey,
        guardian: accounts.guardian.privateKey,
        recovery: accounts.recovery.privateKey,
      },
      lifiUrl: lifi.url,
      relayUrl: relay.url,
      controlUrl: control.url,
      alchemyUrl: alchemy.url,
      alchemyToken,
      alchemyRpcUrls: Object.fromEntries(
        chainKeys.map((key) => [key, `${alchemy.rpcUrl}/${alchemyHost(key)}`]),
      ) as Record<ChainKey, string>,
      get registration() {
        return watchesAll || !webhooks.url ? null : { webhookUrl: webhooks.url }
      },
      webhookSigningKeys: Object.fromEntries(
        chainKeys.map((key) => [key, webhooks.find(`wh_devnet_${key}`)!.signing_key]),
      ) as Record<ChainKey, string>,
      tokenListPath,
      processes: Object.fromEntries([...byKey.values()].map(({ key, pid }) => [`anvil-${key}`, pid])),
      setWebhookUrl: (url) => webhooks.setUrl(url),
      sendDeposit: (deposit) => sendDeposit(chainOf(deposit.chainKey), deposit),
      waitForReceipt: (key, hash) => chainOf(key).receiptOf(hash),
      balanceOf: (key, token, owner) => chainOf(key).balanceOf(addressOf(chains[key].id, token), owner),
      serviceEnv: () => serviceEnv(devnet),
      stop,
    }
    return devnet
  } catch (error) {
    await stop()
    throw error
  }
}

const tokensOf = (id: ChainId): DevnetChain['tokens'] =>
  Object.fromEntries(
    tokens
      .filter(({ chainId }) => chainId === id)
      .map(({ symbol, address, decimals }) => [symbol, { address, decimals }]),
  )

function addressOf(id: ChainId, token: string): Address {
  const found = tokenOf(id, token)
  if (!found) throw new Error(`No token ${token} on chain ${id}`)
  return found.address
}
