import type { ChainId } from '../domain/chain/chain'
import type { Component, Observation, OverdueKind } from '../domain/execution/overdue'
import type { Records } from './records'

/** A trace context, as W3C Trace Context writes it into the headers of requests and messages. */
export type Carrier = { traceparent?: string }

export type Outside =
  | { system: 'provider'; provider: string; operation: 'quote' | 'status' | 'price' }
  /** `node` is the number of the chain's node, counted from 1, because its URL is secret. */
  | { system: 'rpc'; chain: string; node: string; method: string }
  | { system: 'nats'; stream: string }

export type Work = {
  name: string
  kind: 'INTERNAL' | 'CONSUMER' | 'PRODUCER'
  /** The id of a deposit or an execution, or `chainId:txHash`: the trace of the work. */
  id: string
  /** The trace in which the message was sent. */
  carrier?: Carrier
}

/** Measures and traces the work of the parts. Without a tracer it costs nothing. */
export interface Telemetry {
  /**
   * Makes a request to another system. It is timed, counted by outcome, and traced as a part of the current work.
   *
   * @param judge Returns the meaning of an error that is not a `RoutingError` yet.
   */
  outside<Answer>(
    call: Outside,
    run: (carrier: Carrier) => Promise<Answer>,
    judge?: (error: unknown) => string,
  ): Promise<Answer>
  /** Runs work for a deposit as a span of its trace. */
  work<Answer>(work: Work, run: (carrier: Carrier) => Promise<Answer>): Promise<Answer>
  /** Attributes calls made inside `call` to that work, until `end` is called. */
  within(work: Work, call: (end: () => void) => void): void
}

/** Stores observations, one per component. There are a few dozen at most. */
export interface Observations {
  /**
   * @param okAt Null if the component is unhealthy now. If it was never healthy, its first observation counts as that
   * time.
   * @param balanceRaw A relayer's balance, in wei.
   */
  note(component: Component, at: number, okAt: number | null, balanceRaw?: bigint): Promise<void>
  all(): Promise<Observation[]>
}

/** What was logged as overdue and not yet as over. All processes share one record. */
export type OverdueReport = { id: string; version: number; at: number; said: ReportedOverdue[] }
export type ReportedOverdue = { id: string; kind: OverdueKind; chainId: ChainId | null; at: number }
export type OverdueReports = Records<OverdueReport>

/** One overdue item, as the operators' page, the log and the metric show it. */
export type Overdue = Component & {
  /** Stays the same until the item is no longer overdue. */
  id: string
  since: number
  /** When it should have progressed. */
  by: number
  depositId: string | null
  executionId: string | null
  organizationId: string | null
  message: string
  advice: string
}

export type OverdueCount = { kind: OverdueKind; chainId: ChainId | null; count: number }

/**
 * The items that are overdue now. Null stands for the platform's operators, who see every organization and unowned
 * items.
 */
export interface OverdueNow {
  /** Returns the items, longest overdue first. */
  list(organizationId: string | null): Promise<Overdue[]>
  /** Returns the items of no single organization: chains, relayers, providers and workers. */
  components(): Promise<Overdue[]>
  /** Counts the overdue items of all organizations, reading up to 10,000 executions. */
  counts(): Promise<OverdueCount[]>
}
