import { asyncScheduler, type SchedulerLike } from 'rxjs'
import { aged } from '../domain/aged'
import { type ChainId, chainIds, chainKeyOf, chainOf, perChain } from '../domain/chain/chain'
import { zeroAddress } from '../domain/chain/hex'
import type { Execution } from '../domain/execution/execution'
import { amountMax } from '../domain/money/amount'
import { gasFeeOf } from '../domain/money/fees'
import type { Token, TokenList } from '../domain/money/token'
import type { Chains } from '../ports/chain-client'
import type { ScanCursors } from '../ports/detection'
import type { ChainFigures, Duration, Figures, FiguresNow, Prices } from '../ports/prices'
import type { ExecutionQueries } from '../ports/queries'

type EstimatePorts = {
  chains: Chains
  prices: Prices
  tokens: TokenList
  executionQueries: ExecutionQueries
  scanCursors: Pick<ScanCursors, 'load'>
  /** USD with 8 decimals. */
  dustFloorUsd: bigint
  now: () => number
  scheduler?: SchedulerLike
}

const agedMs = 20_000
const staleMs = 50_000
const weekMs = 7 * 24 * 60 * 60_000
const sampleMax = 2_000
const samplesLeast = 20
/** Assumed gas limit of a route. */
const gasLimitUsual = 600_000n
/**
 * The minimum covers four times the current cost of gas, because prices can move before the deposit arrives (extensions
 * 5.2).
 */
const margin = 4n
const behindMs = 2 * 60_000
const patienceMs = 2_000

type Costs = { gas: Map<string, bigint>; dust: Map<string, bigint> }

/**
 * Computes measured durations and current minimums. While they are requested, they are recomputed at least every
 * minute.
 */
export function routeEstimates(ports: EstimatePorts): FiguresNow {
  const changedAt = new Map<ChainId, { said: string; at: number }>()

  async function read(): Promise<Figures> {
    const at = ports.now()
    const [recent, costs, behind] = await Promise.all([delivered(ports, at), costsNow(ports), lagging(ports, at)])
    const seconds = perChain((id) =>
      median(recent.filter(({ deposit }) => deposit.chainId === id).map(confirmationSeconds)),
    )
    const ofChain = (id: ChainId) => chainFigures(id, seconds[id], behind.has(id), at)
    return {
      at,
      ofChain,
      ofToken: ({ chainId }) => ofChain(chainId),
      expectedSeconds: (from, to) => durationOf(recent, from, to),
      minimumAmountIn: (token, _to, sponsoredGas) => minimumOf(token, sponsoredGas, costs),
    }
  }

  function chainFigures(id: ChainId, seconds: number | null, isBehind: boolean, at: number): ChainFigures {
    const message = isBehind ? 'Deposits on this chain are currently detected late.' : null
    const said = JSON.stringify([seconds, message])
    const before = changedAt.get(id)
    if (before?.said !== said) changedAt.set(id, { said, at })
    const updatedAt = changedAt.get(id)!.at
    return { confirmationTypicalSeconds: seconds, acceptsDeposits: !isBehind, delivers: true, message, updatedAt }
  }

  const figures = aged(read, { now: ports.now, forMs: staleMs, refreshMs: agedMs, from: 'START' })
  return () => figures.get()
}

const delivered = ({ executionQueries }: EstimatePorts, at: number): Promise<Execution[]> =>
  executionQueries.list({ organizationId: null, status: ['SUCCESS'], createdFrom: at - weekMs }, { limit: sampleMax })

const confirmationSeconds = ({ deposit, history }: Execution): number => {
  const confirmed = history.find(({ event }) => event === 'balance verified')
  return ((confirmed?.at ?? deposit.detectedAt) - deposit.detectedAt) / 1_000
}

const sorted = (values: number[]): number[] => values.toSorted((a, b) => a - b)
const median = (values: number[]): number | null =>
  values.length < samplesLeast ? null : Math.ceil(sorted(values)[Math.floor(values.length / 2)]!)

function durationOf(recent: Execution[], from: ChainId, to: ChainId): Duration | null {
  const taken = recent
    .filter(({ deposit, facts }) => deposit.chainId === from && facts.intent?.targetChainId === to)
    .map(({ completedAt, deposit }) => (completedAt! - deposit.detectedAt) / 1_000)
  if (taken.length < samplesLeast) return null
  const order = sorted(taken)
  const at = (share: number) => Math.ceil(order[Math.min(Math.floor(order.length * share), order.length - 1)]!)
  return { typical: at(0.5), slow: at(0.95) }
}

async function costsNow({ chains, prices, tokens, dustFloorUsd, scheduler }: EstimatePorts): Promise<Costs> {
  const costs: Costs = { gas: new Map(), dust: new Map() }
  await Promise.all(
    chainIds.map(async (id) => {
      const [fee, nativeUsd] = await Promise.all([
        soon(chains[id].fee(), scheduler),
        soon(prices.usd(id, zeroAddress), scheduler),
      ])
      const own = tokens.all.filter(({ chainId }) => chainId === id)
      await Promise.all(own.map(async (token) => note(token, fee?.feeCap ?? null, nativeUsd)))
    }),
  )
  return costs

  async function note(token: Token, feeCap: bigint | null, nativeUsd: bigint | null): Promise<void> {
    const tokenUsd = await soon(prices.usd(token.chainId, token.address), scheduler)
    if (tokenUsd === null || tokenUsd <= 0n) return
    costs.dust.set(keyOf(token), (dustFloorUsd * 10n ** BigInt(token.decimals)) / tokenUsd)
    if (feeCap === null || nativeUsd === null || nativeUsd <= 0n) return
    const gas = { costWei: gasLimitUsual * feeCap, nativeUsd, tokenUsd, tokenDecimals: token.decimals }
    costs.gas.set(keyOf(token), gasFeeOf(gas))
  }
}

const keyOf = ({ chainId, address }: Token): string => `${chainId}:${address}`

function minimumOf(token: Token, sponsoredGas: boolean, { gas, dust }: Costs): bigint | null {
  const floor = dust.get(keyOf(token))
  const cost = sponsoredGas ? 0n : gas.get(keyOf(token))
  if (floor === undefined || cost === undefined) return null
  const covering = margin * cost
  const least = covering > floor ? covering : floor
  // With 77 decimals, no possible amount of a token can be worth this much.
  return least <= amountMax ? least : null
}

/** Returns the chains whose scanner has fallen behind. */
async function lagging({ scanCursors }: EstimatePorts, at: number): Promise<Set<ChainId>> {
  const behind = new Set<ChainId>()
  for (const id of chainIds) {
    const cursor = await scanCursors.load(chainKeyOf(id))
    if (cursor && at - cursor.updatedAt > Math.max(behindMs, chainOf(id).blockSeconds * 20_000)) behind.add(id)
  }
  return behind
}

/** Returns null if the request fails or takes too long. One figure is then missing instead of the whole response. */
async function soon<Value>(request: Promise<Value>, scheduler: SchedulerLike = asyncScheduler): Promise<Value | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = scheduler.schedule(() => resolve(null), patienceMs)
  return Promise.race([request.catch(() => null), late]).finally(() => timer.unsubscribe())
}
