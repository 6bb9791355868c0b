import { nodesBill } from '../../src/app/nodes-bill'
import { outcomeCounts } from '../../src/app/service'
import { createMeters } from '../../src/app/telemetry/meters'
import { chainIds, chainKeys, perChain } from '../../src/domain/chain/chain'
import type { Execution } from '../../src/domain/execution/execution'
import { dependencyGauges, executionGauges, serviceGauges } from '../../src/http/metrics/gauges'
import type { MetricsPorts } from '../../src/http/metrics/metrics'

const ports = {
  executions: { due: async () => [] },
  executionQueries: { countByStatus: async () => ({ SUCCESS: 1 }) },
  scanCursors: { load: async () => ({ scannedBlock: 1 }) },
  chains: perChain((chainId) => ({ chainId, confirmed: async () => ({ number: 2 }) })),
  isWatching: () => true,
  observations: {
    all: async () =>
      chainIds.map((chainId) => ({
        ...{ kind: 'RELAYER_GAS', chainId, provider: null, subject: `0x${'7'.repeat(40)}` },
        ...{ id: '', okAt: 0, at: 0, balanceRaw: String(10n ** 18n) },
      })),
  },
  overdue: { counts: async () => [] },
  webhookDeliveries: { countDue: async () => 0 },
  webhookEndpoints: { disabledIds: async () => [], enabledIds: async () => [] },
  webhookFeeds: { countRead: async () => 0 },
  eventLog: { head: async () => null },
  eventMarks: { due: async () => [] },
  providerHealth: async () => [{ provider: 'lifi', credentialsRefusedAt: null }],
  requestsLeft: async () => [{ provider: 'lifi', key: 'keyless', kind: 'quote', left: 60, most: 75 }],
  pauses: { changedSince: async () => [] },
  version: '1.2.3',
  now: () => 0,
} as never

const none = Object.fromEntries(chainKeys.map((key) => [key, null]))

/** Every metric of a process, composed as the service composes it, with a value in each. */
export function everyMetric(): MetricsPorts {
  const meters = createMeters()
  meters.noteOutside({ system: 'provider', provider: 'lifi', operation: 'quote' }, 'OK', 0.2)
  meters.noteOutside({ system: 'rpc', chain: 'base', node: '1', method: 'eth_call' }, 'RPC_TIMEOUT', 30)
  meters.noteOutside({ system: 'nats', stream: 'WAKE' }, 'OK', 0)
  meters.noteStep('findRoute', 'DONE', 0.1)
  meters.noteUnexpected('step')
  const arrived = { deposit: { chainId: 8453, detectedAt: 0 }, facts: {}, history: [] } as unknown as Execution
  meters.noteRecord({ ...arrived, status: 'RUNNING' }, { ...arrived, status: 'SUCCESS' })
  const counted = [...outcomeCounts().counted, ...meters.counted]
  const { gauge } = nodesBill({ meters, budgets: { ...none, base: 1_000 } } as never)
  const gauges = [gauge, ...serviceGauges(ports), ...executionGauges(ports), ...dependencyGauges(ports)]
  return { gauges, counters: counted, histograms: meters.timed, token: null }
}
