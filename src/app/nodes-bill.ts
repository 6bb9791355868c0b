import { dateOf } from '../domain/calendar'
import { type ChainKey, chainKeys, chains } from '../domain/chain/chain'
import { inTurn } from '../domain/concurrency'
import { type BudgetState, budgetStateOf } from '../domain/limits/node-requests'
import { repeat } from '../domain/repeat'
import type { Gauge } from '../http/metrics/metrics'
import type { NodeRequests } from '../ports/chain-client'
import type { Observations } from '../ports/observing'
import type { Log } from './logging/log'
import type { Meters } from './telemetry/meters'

type Ports = {
  nodeRequests: NodeRequests
  observations: Pick<Observations, 'note'>
  meters: Pick<Meters, 'nodeRequests'>
  /** Daily request budget of each chain; null for no limit. */
  budgets: Record<ChainKey, number | null>
  log: Log
  now: () => number
  onTrouble: (error: unknown) => void
}

const everyMs = 60_000
export type NodesBill = ReturnType<typeof nodesBill>
type Counts = Map<ChainKey, Map<string, number>>

/**
 * Counts requests to nodes. Adds this process's requests to today's count of all processes, and compares the sum with
 * each chain's budget. Logs when a budget is nearly spent. Once it is spent, work that can wait runs less often.
 */
export function nodesBill({ nodeRequests, observations, meters, budgets, log, now, onTrouble }: Ports) {
  const states = new Map<ChainKey, BudgetState>()
  const spent = new Map<ChainKey, number>()
  const written: Counts = new Map()
  const turn = inTurn()

  /** Stores the counts since the last successful write. Calls do not overlap, so nothing is counted twice. */
  const add = (): Promise<void> => turn('add', addNow)

  async function addNow(): Promise<void> {
    const counted = countsOf(meters.nodeRequests())
    for (const [chain, methods] of counted) {
      const before = written.get(chain)
      const fresh = [...methods].map(([method, count]) => [method, count - (before?.get(method) ?? 0)] as const)
      const counts = Object.fromEntries(fresh.filter(([, count]) => count > 0))
      if (Object.keys(counts).length > 0) await nodeRequests.add(dateOf(now()), chain, counts)
      written.set(chain, methods)
    }
  }

  async function judge(): Promise<void> {
    const today = new Map((await nodeRequests.on(dateOf(now()))).map(({ chain, methods }) => [chain, methods]))
    for (const chain of chainKeys) {
      const sum = Object.values(today.get(chain) ?? {}).reduce((total, count) => total + count, 0)
      const [budget, before] = [budgets[chain], states.get(chain) ?? 'WITHIN']
      const state = budgetStateOf(sum, budget)
      spent.set(chain, sum)
      states.set(chain, state)
      if (budget === null) continue
      const component = { kind: 'NODE_BUDGET', chainId: chains[chain].id, provider: null, subject: null } as const
      await observations.note(component, now(), state === 'WITHIN' ? now() : null)
      if (state === before || state === 'WITHIN') continue
      log.write(state === 'SPENT' ? 'NODE_BUDGET_SPENT' : 'NODE_BUDGET_NEAR', { chain, requests: sum, budget })
    }
  }

  const keep = async (): Promise<void> => {
    await add()
    await judge()
  }

  const keeping = repeat({ everyMs, first: 'LATER', work: keep, onTrouble })

  return {
    keep,
    isSpent: (chain: ChainKey): boolean => states.get(chain) === 'SPENT',
    gauge: {
      name: 'rpc_budget_used',
      help: 'Used share of a chain’s daily budget for requests to its nodes',
      labels: ['chain'],
      read: async () =>
        chainKeys.flatMap((chain) => {
          const budget = budgets[chain]
          return budget === null ? [] : [{ labels: { chain }, value: (spent.get(chain) ?? 0) / budget }]
        }),
    } satisfies Gauge,
    start: keeping.start,
    async stop(): Promise<void> {
      await keeping.stop()
      await add().catch(onTrouble)
    },
  }
}

function countsOf(rows: readonly { chain: string; method: string; count: number }[]): Counts {
  const counts: Counts = new Map()
  for (const { chain, method, count } of rows) {
    const methods = counts.get(chain as ChainKey) ?? new Map<string, number>()
    counts.set(chain as ChainKey, methods.set(method, (methods.get(method) ?? 0) + count))
  }
  return counts
}
