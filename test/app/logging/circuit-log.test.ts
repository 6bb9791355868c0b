import { expect, test } from 'bun:test'
import type { Log } from '../../../src/app/logging/log'
import { circuitLog } from '../../../src/app/logging/outcome-log'
import { closedFromStart, opened } from '../../../src/domain/execution/provider-circuit'

const pair = { fromChainId: 43114, toChainId: 8453 } as const

test('the log names the two chains of an open circuit, or only the provider if everything fails', () => {
  const said: unknown[][] = []
  const note = circuitLog({ say: (...line: unknown[]) => void said.push(line) } as unknown as Log)
  const between = closedFromStart('lifi from 43114 to 8453')
  note(opened(between, 'FAILING', 1), false, pair)
  note(between, false, pair)
  note(opened(closedFromStart('lifi'), 'FAILING', 1), false)
  const chains = { provider: 'lifi', fromChain: 'avalanche', toChain: 'base' }
  expect(said).toMatchObject([
    [
      'PROVIDER_RESTS',
      chains,
      'lifi fails from Avalanche to Base for every organization, so requests to it are suspended there.',
    ],
    ['PROVIDER_BACK', chains, 'lifi answers again from Avalanche to Base.'],
    ['PROVIDER_RESTS', { provider: 'lifi' }, 'lifi fails for every organization, so requests to it are suspended.'],
  ])
  expect(said[2]![1]).not.toHaveProperty('fromChain')
})
