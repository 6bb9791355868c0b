import { expect, test } from 'bun:test'
import { telemetryOf, watchedSteps } from '../../src/app/telemetry/telemetry'
import type { Step, Steps } from '../../src/routing/engine/step'
import { executionOf } from '../support/deposits'

test('a watched step gets everything that the engine gives it, and its outcome is counted', async () => {
  const asked: unknown[][] = []
  const step: Step = async (...given) => {
    asked.push(given)
    return { retryInMs: 1, waitingFor: 'SIGNER' }
  }
  const counted: unknown[] = []
  const telemetry = telemetryOf({ noteOutside() {} }, null)
  const { signOrder } = watchedSteps({ signOrder: step } as unknown as Steps, telemetry, {
    noteStep: (name, came) => counted.push([name, came]),
  })
  const [record, store] = [executionOf(1), async () => {}]
  expect(await signOrder(record, store)).toEqual({ retryInMs: 1, waitingFor: 'SIGNER' })
  expect(asked).toEqual([[record, store]])
  expect(counted).toEqual([['signOrder', 'WAITS_SIGNER']])
})
