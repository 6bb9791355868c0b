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
