import { BrokenCircuitError, CircuitState, circuitBreaker, handleWhen, type IBreaker } from 'cockatiel'
import type { TemporarilyUnavailable } from '../domain/unavailable'

type Settings = {
  breaker: IBreaker
  openMs: number
  /** Whether an error counts as a failure. A refusal counts as an answer. */
  isTrouble: (error: unknown) => boolean
  /** @param cause The failure that opened the breaker. Undefined if no request was made. */
  circuitOpen: (cause?: unknown) => TemporarilyUnavailable
}

/**
 * Stops calling a dependency that fails repeatedly, then makes one request to see whether it has recovered. Until then
 * every caller waits, including the caller whose probe failed.
 */
export function processCircuit({ breaker, openMs, isTrouble, circuitOpen }: Settings) {
  const policy = circuitBreaker(handleWhen(isTrouble), { halfOpenAfter: openMs, breaker })
  return {
    state: (): CircuitState => policy.state,
    async call<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
      try {
        return await policy.execute(ask)
      } catch (error) {
        if (error instanceof BrokenCircuitError) throw circuitOpen()
        throw isTrouble(error) && policy.state === CircuitState.Open ? circuitOpen(error) : error
      }
    },
  }
}
