import { setSystemTime } from 'bun:test'
import { freshHead } from '../../src/adapters/evm/heads'
import { memoryRecords } from '../../src/adapters/memory-records'
import { chains as allChains, type ChainId } from '../../src/domain/chain/chain'
import type { Relayer } from '../../src/domain/chain/relayer'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import type { Route } from '../../src/domain/execution/route'
import { chainWithBreakers } from '../../src/nodes/chain-breakers'
import { nodeFailures } from '../../src/nodes/node-failures'
import type { Chains } from '../../src/ports/chain-client'
import type { DeliveryClaim } from '../../src/ports/executions'
import type { RouteRequest } from '../../src/ports/gate'
import { payable } from '../../src/routing/engine/payable'
import type { Steps } from '../../src/routing/engine/step'
import type { QuotePorts } from '../../src/routing/pricing/quotes'
import { believing } from './appraisers'
import { addressOf } from './deposits'
import { openGate } from './gates'
import { executionsInMemory, recordsInMemory } from './records'
import { unknownGas } from './route-gas'
import { anyIntent, anySeal } from './seals'
import { stepsIn } from './steps'
import { unlimited } from './unlimited'
import { delivery, detected, intent, order, sent, stepsThatSucceed, world } from './world'

const [source, target] = [allChains.base.id, allChains.arbitrum.id]
const epoch = 1_800_000_000_000
const key = { id: sent.sender, address: addressOf(1) }

const quoted = (provider: string, { amountIn }: RouteRequest, quotedAt: number): Route => ({
  provider,
  kind: 'BRIDGE',
  amountIn: String(amountIn),
  amountOutExpected: provider === 'lifi' ? '990' : '980',
  amountOutMin: '980',
  expectedSeconds: 1,
  hops: 1,
  slippageBps: 0,
  reference: null,
  quotedAt,
  call: { target: order.target, spender: order.spender, data: '0x01020304', nativeFee: '0' },
})

/** Whether the node fails a call, by its chain, its name and the provider of the route that it is about. */
export type Fails = (call: string, provider: string | null, at: number) => ErrorCode | null
export type Options = {
  fails?: Fails
  sponsoredGas?: boolean
  providers?: string[]
  /** The prices of both chains. By default every token costs a dollar. */
  pricing?: (chains: Chains, now: () => number) => Pick<QuotePorts, 'prices' | 'appraiser'>
}
const dollar = () => ({ prices: { usd: async () => 10n ** 8n }, appraiser: believing })

/** One deposit and the product's own steps on two chains, whose nodes fail as the test says. */
export function oneDeposit({
  fails = () => null,
  sponsoredGas = true,
  providers = ['lifi'],
  pricing = dollar,
}: Options = {}) {
  const calls = new Set<string>()
  const now = () => lived.clock.at
  let [isSent, drafted, quotes]: [boolean, string | null, number] = [false, null, 0]
  const seconds = () => Math.floor(now() / 1_000)
  const block = () => ({ number: 100 + seconds(), hash: '0x', time: seconds() })
  const use = { hash: sent.hash, block: 2, spentRaw: 1_000n }
  const members: Record<string, () => unknown> = {
    head: block,
    confirmed: block,
    confirmedNumber: () => block().number,
    blockAt: block,
    assureChain: () => undefined,
    balanceOf: () => 1_000n,
    nativeBalance: () => 10n ** 20n,
    minedNonces: () => 0,
    fee: () => ({ feeCap: 8n, tip: 1n }),
    isDeployed: () => true,
    isDelegated: () => false,
    tokenMetadata: () => ({ symbol: 'T', name: 'T', decimals: 6 }),
    transfersTo: () => [],
    hasTransaction: () => isSent,
    acceptance: () => 'ACCEPTED',
    estimate: () => ({ gasLimit: 100_000n, costWei: 1n }),
    receipt: () => ({ block: 1, succeeded: true, time: 1 }),
    routeUsed: () => (isSent ? use : null),
    routeUsedIn: () => (isSent ? use : null),
    untilConfirmedMs: () => null,
    send: () => {
      isSent = true
    },
  }
  const client = (chainId: ChainId) => {
    const watched = Object.entries(members).map(([name, answer]) => [
      name,
      async () => {
        const call = `${chainId === source ? 'source' : 'target'} ${name}`
        calls.add(call)
        const code = fails(call, name === 'estimate' ? drafted : null, now())
        if (code) throw new RoutingError(code)
        return answer()
      },
    ])
    const chain = { chainId, confirmations: 1, ...Object.fromEntries(watched), second: null }
    return chainWithBreakers(chain, () => {}, nodeFailures({ records: memoryRecords(), now }))
  }
  const chains = { [source]: client(source), [target]: client(target) } as Chains
  const steps = stepsIn({
    chains,
    executions: executionsInMemory(detected),
    deliveries: recordsInMemory<DeliveryClaim>(),
    relayerRecords: recordsInMemory<Relayer>(),
    relayers: {
      forRoute: () => key,
      onChain: () => [key],
      transaction: async () => ({ hash: sent.hash, bytes: '0x' }),
    } as never,
    signer: {
      draft: async ({ facts }: Execution) => {
        drafted = facts.route!.provider
        return order
      },
      sign: async (_: Execution, deadline: number) => ({ ...order, deadline }),
    } as never,
    aggregators: [],
    seals: anySeal,
    verifyIntent: anyIntent,
    quoting: {
      aggregators: providers.map((name) =>
        openGate({
          name,
          quote: async (request) => {
            quotes += 1
            return quoted(name, request, now()) as never
          },
        }),
      ),
      ...pricing(chains, now),
      quoteTimeoutMs: 1_000,
      now,
    },
    limits: unlimited,
    mayForgiveGas: async () => false,
    routeGas: unknownGas,
    freshHead: (chainId: ChainId) => freshHead(chains[chainId], 60_000, now)(),
    scannedTo: async () => 50,
    blacklist: { isListed: () => false },
    pauses: { find: () => null },
    payable: payable({ chains, unspendable: () => null }),
    onLowGas: () => {},
    orderSeconds: 600,
    pollMs: () => 1_000,
    now,
  } as never)
  const timed = Object.entries(steps).map(([name, step]) => [
    name,
    (...args: Parameters<typeof step>) => {
      setSystemTime(epoch + now())
      return step(...args)
    },
  ])
  const real = Object.fromEntries(timed) as Steps
  const snapshot = { ...intent, sponsoredGas }
  const lived = world(
    {
      ...real,
      matchIntent: async () => ({ type: 'intent matched', facts: { intent: snapshot, routeId: order.routeId } }),
      takeLane: stepsThatSucceed.takeLane,
      confirmDelivery: async (execution, store) =>
        execution.facts.spent
          ? { type: 'funds delivered', facts: { delivery } }
          : real.confirmDelivery(execution, store),
    },
    {},
    { random: () => 0 },
  )
  return { ...lived, calls, quotes: () => quotes }
}
