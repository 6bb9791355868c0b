import { expect, test } from 'bun:test'
import { webhookLog } from '../../../src/app/logging/outcome-log'
import { createMeters } from '../../../src/app/telemetry/meters'
import type { Execution } from '../../../src/domain/execution/execution'
import { dependencyGauges, executionGauges, serviceGauges } from '../../../src/http/metrics/gauges'

const removed = 999_999

test('a record of a chain that this release no longer has gets an empty label in every metric', async () => {
  const meters = createMeters()
  const arrived = { deposit: { chainId: removed, detectedAt: 0 }, facts: {}, history: [] } as unknown as Execution
  meters.noteRecord({ ...arrived, status: 'RUNNING' }, { ...arrived, status: 'SUCCESS' })
  webhookLog({ write: () => {} } as never, meters)('STORED', [{ chainId: removed, txHash: '0x1' }] as never)
  const balance = { kind: 'RELAYER_GAS', chainId: removed, subject: '0x7', balanceRaw: '1', at: 0 }
  const ports = {
    observations: { all: async () => [balance] },
    overdue: { counts: async () => [{ kind: 'HEAD', chainId: removed, count: 3 }] },
    pauses: { changedSince: async () => [{ id: `chain:${removed}`, resumedAt: null, until: null }] },
    now: () => 1,
  } as never
  const stored = ['relayer_balance', 'overdue', 'pauses']
  const gauges = [...serviceGauges(ports), ...executionGauges(ports), ...dependencyGauges(ports)]
  const ofChains = ['inbound_webhook_transactions_total', 'deposit_to_success_seconds']
  const metrics = [
    ...gauges.filter(({ name }) => stored.includes(name)),
    ...[...meters.counted, ...meters.timed].filter(({ name }) => ofChains.includes(name)),
  ]
  const labelsOf = async ({ read }: (typeof metrics)[number]) => (await read()).map(({ labels }) => labels)
  const found = await Promise.all(metrics.map(async (one) => [one.name, await labelsOf(one)] as const))
  expect(new Set(found.map(([name]) => name))).toEqual(new Set([...stored, ...ofChains]))
  expect(Object.fromEntries(found)).toMatchObject({
    relayer_balance: [{ chain: '', relayer: '0x7' }],
    overdue: expect.arrayContaining([{ kind: 'HEAD', chain: '' }]),
    pauses: expect.arrayContaining([{ scope: 'chain', name: '' }]),
    inbound_webhook_transactions_total: [{ chain: '' }],
    deposit_to_success_seconds: [{ from_chain: '', to_chain: '' }],
  })
})
