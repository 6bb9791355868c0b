import { BrokenCircuitError, CircuitState, circuitBreaker, handleWhen, type IBreaker } from 'cockatiel'
import type { TemporarilyUnavailable } from '../domain/unavailable'

type Settings = {
  breaker: IBreaker
  openMs: number
  /** Which errors count as a failure. A refusal is an answer. */
  isTrouble: (error: unknown) => boolean
  /** @param cause the failure that opened the breaker; undefined when no request was made. */
  circuitOpen: (cause?: unknown) => TemporarilyUnavailable
}

/**
 * Stops asking something that fails repeatedly, then asks once to see whether it has recovered. Every caller waits
 * meanwhile, including the one whose probe failed.
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
