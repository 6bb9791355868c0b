/** As W3C Trace Context writes it into headers: of requests, and of messages. */
export type Carrier = { traceparent?: string }

export type Outside =
  | { system: 'provider'; provider: string; operation: 'quote' | 'status' | 'price' }
  /** `node`: which of the chain's, counted from 1; its URL is a secret. */
  | { system: 'rpc'; chain: string; node: string; method: string }
  | { system: 'nats'; stream: string }

export type Work = {
  name: string
  kind: 'INTERNAL' | 'CONSUMER' | 'PRODUCER'
  /** Of a deposit or an execution, or `chainId:txHash`: whose trace it belongs to. */
  id: string
  /** Where a message came from. */
  carrier?: Carrier
}

/** What a part tells of itself as it works. Who asks for nothing of it pays nothing for it. */
export interface Telemetry {
  /**
   * Asks somebody else: timed, counted by what came of it, and a span of whatever is under way.
   *
   * @param judge what an error means, where it is no `RoutingError` yet.
   */
  outside<Answer>(
    call: Outside,
    run: (carrier: Carrier) => Promise<Answer>,
    judge?: (error: unknown) => string,
  ): Promise<Answer>
  /** Work for a deposit, as a span of its trace. */
  work<Answer>(work: Work, run: (carrier: Carrier) => Promise<Answer>): Promise<Answer>
  /** What is called here is part of that work, until the work says that it is over. */
  within(work: Work, call: (end: () => void) => void): void
}
