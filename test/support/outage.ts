import { lastValueFrom } from 'rxjs'
import { chainIds } from '../../src/domain/chain/chain'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import type { Offer } from '../../src/domain/execution/route'
import { isTerminal } from '../../src/domain/execution/status'
import { TokenList } from '../../src/domain/money/token'
import type { RouteRequest } from '../../src/ports/gate'
import type { Aggregator } from '../../src/providers/aggregator'
import type { ProviderGate, Shut } from '../../src/providers/breaker'
import { type GatePorts, gate } from '../../src/providers/gate'
import type { GateChange } from '../../src/providers/gate-record'
import { advance } from '../../src/routing/engine/advance'
import { bestQuote } from '../../src/routing/pricing/quotes'
import { believing } from './appraisers'
import { addressOf, executionOf, hashOf } from './deposits'
import { executionsInMemory, recordsInMemory } from './records'
import { intent, stepsThatSucceed } from './world'

export const minute = 60_000
/** Probe interval for an unhealthy provider, in milliseconds. */
const tickMs = 5_000

const named = { symbol: 'USDC', name: 'USD Coin', decimals: 6 }
/** Tokens of the pairs that health probes use. */
export const usualTokens = new TokenList(
  chainIds.map((chainId, n) => ({ chainId, address: addressOf(0xdc00 + n), ...named })),
)

/** Returns the n-th deposit's request. Deposits spread over several tokens and chains on both sides. */
export const requestOf = (n: number): RouteRequest =>
  ({
    fromChainId: chainIds[n % chainIds.length],
    fromToken: addressOf(n % 5),
    toChainId: chainIds[(n + 2) % chainIds.length],
    toToken: addressOf(n % 7),
  }) as RouteRequest

/** The route of a provider that is well. */
export const offered = {} as Offer
/** Whether the gate itself requests it. No deposit of these tests has this amount. */
const isUsual = ({ amountIn }: RouteRequest): boolean => amountIn === 100_000_000n

export type Trouble = {
  code: ErrorCode
  from: number
  to: number
  /** Whether a request of a process fails. All fail by default. */
  isHit?: (request: RouteRequest, worker: number) => boolean
  /** Runs before a request fails, for errors that the code alone does not describe. */
  meets?: () => Promise<unknown>
}

type Instead = Partial<GatePorts> & { quote?: Aggregator['quote'] }

/** Processes that share nothing but the store, and a provider that fails for a while. */
export function processes(count: number, trouble: Trouble) {
  const clock = { at: 0 }
  const records = recordsInMemory<ProviderGate>()
  /** Reports about the whole provider: why it is shut, or null once it is open. */
  const told: (Shut['reason'] | null)[] = []
  const changes: GateChange[] = []
  let calls = 0
  async function fail() {
    await trouble.meets?.()
    throw new RoutingError(trouble.code)
  }
  const providerOf = (worker: number): Aggregator => ({
    name: 'one',
    quote: async (request) => {
      calls += 1
      const isHit = trouble.isHit?.(request, worker) ?? true
      if (isHit && clock.at >= trouble.from && clock.at < trouble.to) await fail()
      return isUsual(request) ? offered : null
    },
    outcome: async () => {
      calls += 1
      if (clock.at >= trouble.from && clock.at < trouble.to) await fail()
      return { kind: 'PENDING' }
    },
    priceUsd: async () => {
      if (clock.at >= trouble.from && clock.at < trouble.to) await fail()
      return null
    },
  })
  const onChange = (change: GateChange) => {
    changes.push(change)
    if (change.pair === null) told.push(change.shut?.reason ?? null)
  }
  /** Starts a process, or starts it again. */
  const start = (n: number, { quote = providerOf(n).quote, ...ports }: Instead = {}) =>
    gate(
      { ...providerOf(n), quote },
      {
        read: () => null,
        records,
        tokens: usualTokens,
        quoteTimeoutMs: 8_000,
        self: `worker-${n}`,
        now: () => clock.at,
        onChange,
        ...ports,
      },
    )
  const workers = Array.from({ length: count }, (_, n) => start(n))
  return { clock, records, told, changes, workers, start, calls: () => calls }
}

export type Arrivals = { everyMs?: number; requestOf?: (n: number) => RouteRequest }

/**
 * Runs one deposit a minute by default until all have ended. A random worker carries out each step.
 *
 * @returns `retries` spent in total, `spentOpen` spent while the circuit was open, and `worst` spent by one deposit.
 */
export async function endings(
  count: number,
  trouble: Trouble,
  deposits: number,
  { everyMs = minute, requestOf: ofDeposit = requestOf }: Arrivals = {},
) {
  const { clock, workers, told, calls } = processes(count, trouble)
  const all = Array.from({ length: deposits }, (_, n) => executionOf(n, { version: 1, dueAt: n * everyMs }))
  const executions = executionsInMemory(...all)
  const ids = all.map(({ id }) => id)
  let seed = 1
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const dues = all.map(({ dueAt }) => dueAt ?? Number.POSITIVE_INFINITY)
  let [spentOpen, worst] = [0, 0]
  const isAnyDue = () => dues.some((due) => due !== Number.POSITIVE_INFINITY)
  while (isAnyDue()) {
    const place = dues.reduce((first, due, n) => (due < dues[first]! ? n : first), 0)
    const [id, due] = [ids[place]!, dues[place]!]
    for (; clock.at + tickMs < due; clock.at += tickMs) for (const one of workers) await one.probe()
    clock.at = Math.max(clock.at, due)
    const worker = workers[Math.floor(random() * count)]!
    const findRoute = async () => {
      const ports = { aggregators: [worker], prices: { usd: async () => 1n }, appraiser: believing }
      const quoting = { ...ports, quoteTimeoutMs: 8_000, now: () => clock.at }
      await bestQuote(ofDeposit(place), quoting).catch((error) => {
        if (error.code !== 'NO_ROUTE') throw error // the healthy provider's response
      })
      return { type: 'route found' } as const
    }
    const routeId = hashOf(1_000 + place)
    const matchIntent = async () => ({ type: 'intent matched', facts: { intent, routeId } }) as const
    const steps = { ...stepsThatSucceed, matchIntent, findRoute }
    const surroundings = { executions, steps, now: () => clock.at, random, onBug: () => {} }
    const [before, isOpen] = [executions.get(id).retryCount, told.at(-1) === 'FAILING']
    await lastValueFrom(advance(id, false, surroundings), { defaultValue: null })
    dues[place] = executions.get(id).dueAt ?? Number.POSITIVE_INFINITY
    const spent = executions.get(id).retryCount - before
    if (isOpen) spentOpen += spent
    worst = Math.max(worst, before + spent)
  }
  const ended: Execution[] = ids.map((id) => executions.get(id))
  const retries = ended.reduce((sum, { retryCount }) => sum + retryCount, 0)
  const dead = ended.filter(({ state }) => state === 'DEAD_LETTER').length
  if (!ended.every(({ state }) => isTerminal(state))) throw new Error('A deposit has not ended')
  return { dead, retries, spentOpen, worst, told, calls: calls(), ended }
}

/** Pairs every chain with every other in turn, for each of four tokens that all pairs share. */
export function ofEveryPair(n: number): RouteRequest {
  const from = n % chainIds.length
  const to = (from + 1 + (Math.floor(n / chainIds.length) % (chainIds.length - 1))) % chainIds.length
  const [fromChainId, toChainId] = [chainIds[from]!, chainIds[to]!]
  const tokenOn = (chain: number) => addressOf(0xdc00 + chain + (n % 4 === 0 ? 0 : 0x10 * (n % 4)))
  return { ...requestOf(n), fromChainId, fromToken: tokenOn(from), toChainId, toToken: tokenOn(to) }
}

/** Returns the minutes in which at least one of these executions was waiting, from its arrival to its end. */
export function waitedMinutes(waits: { from: number; to: number }[]): number {
  let [sum, last] = [0, Number.NEGATIVE_INFINITY]
  for (const { from, to } of waits.toSorted((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, last))
    last = Math.max(last, to)
  }
  return sum / minute
}
