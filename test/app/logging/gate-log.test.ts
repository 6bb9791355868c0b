import { expect, test } from 'bun:test'
import type { Log } from '../../../src/app/logging/log'
import { gateLog } from '../../../src/app/logging/outcome-log'
import type { Shut } from '../../../src/providers/breaker'

const pair = { fromChainId: 43114, toChainId: 8453 } as const
const provider = 'lifi'
const shut: Shut = { reason: 'FAILING', why: null, since: 1, probeAt: 10_001, probes: 0, by: null }

test('the log names the two chains between which a provider fails, and the provider alone if it fails for all', () => {
  const said: unknown[][] = []
  const note = gateLog({ write: (...line: unknown[]) => void said.push(line) } as unknown as Log)
  note({ provider, pair, shut, isOwn: false })
  note({ provider, pair, shut: null, isOwn: false })
  note({ provider, pair: null, shut, isOwn: false })
  note({ provider, pair: null, shut, isOwn: true })
  note({ provider, pair: null, shut: { ...shut, why: 'Its call is unknown.' }, isOwn: false })
  note({ provider, pair: null, shut: { ...shut, reason: 'LOCKED_OUT' }, isOwn: false })
  const chains = { provider: 'lifi', fromChain: 'avalanche', toChain: 'base' }
  expect(said).toMatchObject([
    [
      'PROVIDER_RESTS',
      { ...chains, since: 1, probeAt: 10_001, probes: 0 },
      'lifi fails from Avalanche to Base. It gets no quote requests there but probes.',
    ],
    ['PROVIDER_BACK', chains, 'lifi answers again from Avalanche to Base.'],
    ['PROVIDER_RESTS', { provider: 'lifi' }, 'lifi fails. It gets no quote requests but probes.'],
    ['PROVIDER_RESTS', {}, 'This process cannot reach lifi and sends it no requests. Other processes still do.'],
    ['PROVIDER_UNREADABLE', { unreadable: 'Its call is unknown.' }, expect.stringContaining('Its call is unknown.')],
    ['PROVIDER_REFUSES_US', { provider: 'lifi' }, expect.stringContaining('refuses our credentials')],
  ])
  expect(said[2]![1]).not.toHaveProperty('fromChain')
})
