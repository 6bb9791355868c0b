import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getAddress, keccak256, stringToHex } from 'viem'
import { lifi } from '../../src/adapters/aggregators/lifi'
import { relay } from '../../src/adapters/aggregators/relay'
import { evmChain } from '../../src/adapters/evm/chain-client'
import { memoryKey } from '../../src/adapters/keys/open-key'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { pricing } from '../../src/app/pricing'
import { accounts } from '../../src/devnet/chains/accounts'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { type Devnet, startDevnet } from '../../src/devnet/devnet'
import { type Account, accountAddressOf, accountSaltOf, implementationAddressOf } from '../../src/domain/chain/account'
import { type ChainKey, chainKeys, chains, perChain } from '../../src/domain/chain/chain'
import type { Address, Hash } from '../../src/domain/chain/hex'
import { type Execution, newExecution } from '../../src/domain/execution/execution'
import { laneId } from '../../src/domain/execution/lane'
import { defaultPolicy, directRoute, routeIdOf } from '../../src/domain/execution/route'
import { splitDeposit } from '../../src/domain/money/fees'
import { TokenList } from '../../src/domain/money/token'
import type { Organization } from '../../src/domain/tenant/organization'
import type { Chains } from '../../src/ports/chain-client'
import { policySigner } from '../../src/signer/policy-signer'
import { relayRules } from '../../src/signer/relay-deposit'
import { relayers } from '../../src/signer/relayers'
import { lifiBridges, lifiRules } from '../../src/signer/route-rules'
import { recordsInMemory } from './records'
import { anySeal } from './seals'

const confirmations = 2
const organization: Organization = {
  id: 'org',
  version: 1,
  name: 'Org',
  slug: 'org',
  salt: keccak256(stringToHex('salt')),
  plan: 'free',
  customPlan: null,
  isPlatform: false,
  createdAt: 0,
}

type Wanted = {
  from: ChainKey
  token: string
  to: ChainKey
  toToken: string
  amountRaw: bigint
  recipient: Address
  /** Whether the account holds the money. */
  funded?: boolean
  protocolFeeBps?: number
}

/** The devnet with its signer, relayers and readers: everything between a deposit and its delivery, driven by hand. */
export async function orderWorld(by: 'lifi' | 'relay' = 'lifi', bridges = lifiBridges) {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-orders-'))
  const devnet: Devnet = await startDevnet({ dir })
  const { registry, executor, recoveryExecutor, lens } = devnet.contracts
  const { collector } = devnet.keys
  const stored = new Map<string, Account>()
  const client = (id: keyof Chains, rpcUrls = [devnet.chains[id].rpcUrl], timeoutMs = 600_000) =>
    evmChain({
      now: Date.now,
      chainId: id,
      rpcUrls,
      confirmations,
      registry,
      executor,
      recoveryExecutor,
      lens,
      timeoutMs,
    })
  const evm: Chains = perChain((id) => client(id))
  const rpcUrls = Object.fromEntries(chainKeys.map((key) => [key, [devnet.chains[chains[key].id].rpcUrl]])) as never
  const { signerWorth } = pricing({
    providers: [lifi({ url: devnet.lifiUrl, apiKey: null, bridges: lifiBridges })],
    relayPrices: relay({ url: devnet.relayUrl, apiKey: null }),
    secrets: { rpcUrls },
    tokens: new TokenList([]),
    chains: evm,
    priceBooks: recordsInMemory(),
    now: Date.now,
    telemetry: noTelemetry,
  })
  const policy: Parameters<typeof policySigner>[0] = {
    seals: anySeal,
    key: memoryKey(devnet.keys.routeSigner),
    executor,
    recoveryExecutor,
    registry,
    collector,
    rules: [...lifiRules(), ...relayRules(accounts.relaySolver.address)],
    accounts: { load: async (id) => stored.get(id) ?? null },
    organizations: { load: async () => organization },
    ...signerWorth,
  }
  const signer = policySigner(policy)
  const provider =
    by === 'lifi'
      ? lifi({ url: devnet.lifiUrl, apiKey: null, bridges })
      : relay({ url: devnet.relayUrl, apiKey: null, solver: accounts.relaySolver.address })

  function newUser(isStored = true): { userId: string; account: Address } {
    const userId = crypto.randomUUID()
    const accountSalt: Hash = accountSaltOf(organization.salt, userId)
    const implementation = implementationAddressOf(registry)
    const account = accountAddressOf({ registry, implementation, accountSalt })
    const record = { id: account, version: 1, organizationId: 'org', userId, accountSalt, canonicalChainId: 1 as const }
    if (isStored) stored.set(account, { ...record, label: null, createdAt: 0, updatedAt: 0 })
    return { userId, account }
  }

  /** Returns a record whose route has been found, and whose fees are priced if `priced`. */
  async function execution(wanted: Wanted, priced = true): Promise<Execution> {
    const { from, to, amountRaw, recipient, funded = true, protocolFeeBps = 100 } = wanted
    const { userId, account } = newUser(funded)
    const [chainId, toChainId] = [chains[from].id, chains[to].id]
    const [tokenIn, tokenOut] = [tokenOf(chainId, wanted.token)!, tokenOf(toChainId, wanted.toToken)!]
    let txHash: Hash = keccak256(stringToHex(userId))
    if (funded) {
      txHash = await devnet.sendDeposit({ chainKey: from, token: wanted.token, amountRaw, to: account })
      await devnet.waitForReceipt(from, txHash)
    }
    const id = `${chainId}:${txHash}:0`
    const intent = {
      version: 1,
      apiKeyId: 'key',
      targetChainId: toChainId,
      targetTokenAddress: tokenOut.address,
      targetAddress: recipient,
      protocolFeeBps,
      sponsoredGas: true,
    }
    const { symbol, decimals, address: token } = tokenIn
    const block = (await evm[chainId].head()).number
    const record = newExecution(
      {
        id,
        organizationId: 'org',
        userId,
        machineVersion: '1',
        deposit: {
          lane: laneId(account, chainId, token),
          account,
          chainId,
          token,
          symbol,
          decimals,
          amountRaw: String(amountRaw),
          block,
          txHash,
          logIndex: 0,
          fromAddress: null,
          detectedBy: ['SCANNER'],
          detectedAt: 0,
        },
      },
      0,
    )
    const split = splitDeposit({ totalReceivedRaw: amountRaw, protocolFeeBps, gasFeeRaw: 0n })
    const amountIn = split.amountForSwapRaw
    const isDirect = chainId === toChainId && token === tokenOut.address
    const request = {
      fromChainId: chainId,
      fromToken: token,
      amountIn,
      toChainId,
      toToken: tokenOut.address,
      account,
      recipient,
      policy: defaultPolicy,
    }
    const offered = isDirect ? directRoute({ amountIn }, 0) : await provider.quote(request, AbortSignal.timeout(60_000))
    const route = { ...offered!, quotedAt: 0 }
    const fees = {
      totalReceivedRaw: String(amountRaw),
      protocolFeeRaw: String(split.protocolFeeRaw),
      protocolFeeEffective: String(split.protocolFeeEffective),
      protocolFeeForgiven: String(split.protocolFeeForgiven),
      gasFeeRaw: '0',
      amountForSwapRaw: String(amountIn),
      gasFeeSkipReason: 'SPONSORED' as const,
    }
    const routeId = routeIdOf({ organizationId: 'org', userId, executionId: id, intent })
    const balance = { totalReceivedRaw: String(amountRaw), block }
    return { ...record, facts: { intent, routeId, route, balance, ...(priced && { fees }) } }
  }

  return {
    devnet,
    chains: evm,
    client,
    signer,
    relayers: relayers(devnet.keys.relayers.map(memoryKey), { executor, recoveryExecutor }),
    signerFor: (of: Address) => policySigner({ ...policy, executor: of }),
    provider,
    newUser,
    execution,
    deadline: async (key: ChainKey) => (await evm[chains[key].id].head()).time + 150,
    async end() {
      await devnet.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export type OrderWorld = Awaited<ReturnType<typeof orderWorld>>

export const newAddress = (): Address => getAddress(`0x${keccak256(stringToHex(crypto.randomUUID())).slice(-40)}`)
