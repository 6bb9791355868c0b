import { BrokenCircuitError, CircuitState, circuitBreaker, handleWhen, type IBreaker } from 'cockatiel'
import type { Resting } from '../../ports/unavailable'

type Settings = {
  breaker: IBreaker
  restMs: number
  /** What counts as a failure. A refusal is an answer. */
  isTrouble: (error: unknown) => boolean
  /** @param cause of the call that was one too many; undefined where nobody was asked. */
  resting: (cause?: unknown) => Resting
}

/**
 * What fails again and again is left alone for a while, then asked once: whoever needs it waits, also who was the one
 * that asked and found it still away.
 */
export function breakerOf({ breaker, restMs, isTrouble, resting }: Settings) {
  const policy = circuitBreaker(handleWhen(isTrouble), { halfOpenAfter: restMs, breaker })
  return {
    state: (): CircuitState => policy.state,
    async call<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
      try {
        return await policy.execute(ask)
      } catch (error) {
        if (error instanceof BrokenCircuitError) throw resting()
        throw isTrouble(error) && policy.state === CircuitState.Open ? resting(error) : error
      }
    },
  }
}
