import { signerOutcomes } from '../../adapters/signer/signer-server'
import { chainLabelOf } from '../../domain/chain/chain'
import { webhookOutcomes } from '../../domain/deposit/rescan-outcome'
import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { attemptErrors } from '../../domain/webhook/delivery'
import type { Counter, Histogram } from '../../http/metrics/metrics'
import type { Outside } from '../../ports/observing'
import { type QuoteReason, quoteReasons } from '../../routing/pricing/quotes'

const callBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** A deposit confirms within a second or a quarter of an hour, and a bridge can take a day. */
const depositBounds = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 21_600, 86_400]

const histograms = {
  provider_request_duration_seconds: {
    help: 'Response time of routing providers, by outcome',
    labels: ['provider', 'operation', 'outcome'],
    bounds: callBounds,
  },
  rpc_request_duration_seconds: {
    help: 'Response time of a chain’s nodes; node counts the configured URLs from 1',
    labels: ['chain', 'node'],
    bounds: callBounds,
  },
  step_duration_seconds: {
    help: 'Duration of the steps of executions, by outcome',
    labels: ['step', 'outcome'],
    bounds: callBounds,
  },
  deposit_to_success_seconds: {
    help: 'Time from the first sighting of a deposit to its SUCCESS',
    labels: ['from_chain', 'to_chain'],
    bounds: depositBounds,
  },
} as const

const webhookAttemptOutcomes = ['DELIVERED', 'REFUSED', ...attemptErrors]

const counters = {
  rpc_requests_total: {
    help: 'Requests to the nodes of a chain, by method and outcome',
    labels: ['chain', 'node', 'method', 'outcome'],
    initial: [],
  },
  nats_publishes_total: {
    help: 'Messages to NATS, by stream and outcome',
    labels: ['stream', 'outcome'],
    initial: [],
  },
  inbound_webhooks_total: {
    help: 'Webhooks that arrived, by outcome',
    labels: ['outcome'],
    initial: webhookOutcomes.map((outcome) => ({ outcome })),
  },
  inbound_webhook_transactions_total: {
    help: 'Transactions named by stored webhooks, by chain',
    labels: ['chain'],
    initial: [],
  },
  quotes_total: {
    help: 'Quotes that found a route, by the reason for the request; all but FIRST are repetitions',
    labels: ['reason'],
    initial: quoteReasons.map((reason) => ({ reason })),
  },
  webhook_attempts_total: {
    help: 'Attempts to deliver a webhook, by outcome',
    labels: ['outcome'],
    initial: webhookAttemptOutcomes.map((outcome) => ({ outcome })),
  },
  webhook_endpoints_disabled_total: {
    help: 'Webhook endpoints that were disabled because they failed or were gone',
    labels: ['reason'],
    initial: ['GONE', 'FAILING'].map((reason) => ({ reason })),
  },
  signer_requests_total: {
    help: 'Requests of workers to the signer, by outcome',
    labels: ['outcome'],
    initial: signerOutcomes.map((outcome) => ({ outcome })),
  },
  unexpected_errors_total: {
    help: 'Unexpected errors by where they occurred; each one is a bug',
    labels: ['where'],
    initial: ['request', 'step', 'wake', 'promise'].map((where) => ({ where })),
  },
} as const

type Labels = Record<string, string>
type Row = { labels: Labels; buckets: number[]; sumSeconds: number; count: number }
type Where = 'request' | 'step' | 'wake' | 'promise'
export type Meters = ReturnType<typeof createMeters>

/**
 * Builds the counters and histograms of the tables above. No label has values that grow with tenants, users or chains.
 */
export function createMeters() {
  const timings = new Map<string, Map<string, Row>>()
  const counts = new Map<string, Map<string, { labels: Labels; value: number }>>()
  for (const [name, { initial }] of Object.entries(counters))
    counts.set(name, new Map(initial.map((labels) => [Object.values(labels).join('\0'), { labels, value: 0 }])))
  for (const name of Object.keys(histograms)) timings.set(name, new Map())

  function count(name: keyof typeof counters, labels: Labels, by = 1): void {
    const rows = counts.get(name)!
    const key = Object.values(labels).join('\0')
    const row = rows.get(key) ?? { labels, value: 0 }
    row.value += by
    rows.set(key, row)
  }

  function observe(name: keyof typeof histograms, labels: Labels, seconds: number): void {
    const rows = timings.get(name)!
    const key = Object.values(labels).join('\0')
    const { bounds } = histograms[name]
    const row = rows.get(key) ?? { labels, buckets: bounds.map(() => 0), sumSeconds: 0, count: 0 }
    const place = bounds.findIndex((bound) => seconds <= bound)
    if (place >= 0) row.buckets[place]! += 1
    row.sumSeconds += seconds
    row.count += 1
    rows.set(key, row)
  }

  return {
    count,
    /** The requests of this process to nodes since its start. */
    nodeRequests: () =>
      [...counts.get('rpc_requests_total')!.values()].map(({ labels, value }) => ({
        chain: labels['chain']!,
        method: labels['method']!,
        count: value,
      })),
    noteQuoted: (reason: QuoteReason) => count('quotes_total', { reason }),
    noteUnexpected: (where: Where) => count('unexpected_errors_total', { where }),
    noteStep: (step: string, outcome: string, seconds: number) =>
      observe('step_duration_seconds', { step, outcome }, seconds),
    noteOutside(call: Outside, outcome: string, seconds: number): void {
      if (call.system === 'provider') {
        const { provider, operation } = call
        observe('provider_request_duration_seconds', { provider, operation, outcome }, seconds)
      } else if (call.system === 'nats') {
        count('nats_publishes_total', { stream: call.stream, outcome })
      } else {
        const { chain, node, method } = call
        count('rpc_requests_total', { chain, node, method, outcome })
        observe('rpc_request_duration_seconds', { chain, node }, seconds)
      }
    },
    /** @param before The record before the change; null if it was only read. */
    noteRecord(before: Execution | null, { status, deposit, facts, history }: Execution): void {
      if (before === null || status !== 'SUCCESS' || before.status === 'SUCCESS') return
      const [from, to] = [deposit.chainId, facts.intent?.targetChainId ?? deposit.chainId]
      const at = history.at(-1)?.at ?? deposit.detectedAt
      const labels = { from_chain: chainLabelOf(from), to_chain: chainLabelOf(to) }
      observe('deposit_to_success_seconds', labels, Math.max(at - deposit.detectedAt, 0) / 1_000)
    },
    counted: Object.entries(counters).map(
      ([name, { help, labels }]): Counter => ({ name, help, labels, read: () => [...counts.get(name)!.values()] }),
    ),
    timed: Object.entries(histograms).map(
      ([name, { help, bounds }]): Histogram => ({ name, help, bounds, read: () => [...timings.get(name)!.values()] }),
    ),
  }
}

/** Returns a call's outcome as a code of the error table, never as a text from outside. */
export const outcomeOf = (error: unknown): string => (error instanceof RoutingError ? error.code : 'UNEXPECTED')
