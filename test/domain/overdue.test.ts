import { expect, test } from 'bun:test'
import { chainIds } from '../../src/domain/chain/chain'
import { boundMsOf, isOfChain, observationId, overdueNames, overdueRow } from '../../src/domain/execution/overdue'
import { testAll } from '../support/test-all'

testAll(overdueNames)('each kind has a message for members and an advice for operators, in sentences', (kind) => {
  const { source, message, advice, actor } = overdueRow(kind)
  for (const text of [message, advice]) expect(text).toMatch(/^([A-Z{]|npx ).*\.$/)
  const isOwn = source === 'EXECUTION'
  expect([kind, message.split(' ').length > 5, actor]).toEqual([kind, true, 'OPERATOR'])
  expect([kind, /^.{20,} Operators have been alerted\.$/.test(message)]).toEqual([kind, isOwn || source === 'DEPOSIT'])
})

test('operators are alerted within minutes, and of what ends by itself within hours or days', () => {
  const minutes = (kind: (typeof overdueNames)[number]) => boundMsOf(kind, 8453) / 60_000
  const byMinutes = Map.groupBy(overdueNames, minutes)
  expect(Object.fromEntries(byMinutes)).toEqual({
    0: [
      ...['BUG', 'RELAYER_GAS', 'RELAYER_DELEGATED', 'PROVIDER_REFUSES', 'PROVIDER_UNREADABLE', 'WEBHOOK'],
      ...['NODE_BUDGET', 'UNEXPLAINED'],
    ],
    2: ['RETRY', 'ROUTING', 'GAS', 'QUOTA', 'WORTH', 'SIGNER', 'PENDING', 'WAKES', 'SCANNER', 'HEAD'],
    10: ['BLOCK', 'NODE', 'SUBMITTED', 'DELIVERY', 'ATTESTATION', 'MINT', 'CONFIRMING', 'SWEEP'],
    30: ['LANE', 'PROVIDER', 'PROVIDER_RESTS'],
    60: ['POISON'],
    240: ['PAUSE', 'TOKEN'],
    [25 * 60]: ['BUDGET'],
    [49 * 60]: ['AUDIT'],
  } as never)
  expect(chainIds.map((chainId) => boundMsOf('HEAD', chainId) / 1_000)).toEqual(
    chainIds.map((chainId) => (chainId === 1 ? 240 : 120)),
  )
})

test('what members can end has its own action, and everything else is investigated', () => {
  const actions = overdueNames.flatMap((kind) => {
    const { action } = overdueRow(kind)
    return action === 'INVESTIGATE' ? [] : [[kind, action]]
  })
  expect(Object.fromEntries(actions)).toEqual({ PAUSE: 'RESUME', BUDGET: 'RAISE_BUDGET', WORTH: 'APPROVE' })
})

test('records and everything that names a chain are of one chain', () => {
  const others = overdueNames.filter((kind) => !isOfChain(kind))
  expect(others).toEqual(['WAKES', 'PROVIDER_REFUSES', 'PROVIDER_UNREADABLE', 'PROVIDER_RESTS', 'POISON'])
})

test('an observation is identified by what is known of its component', () => {
  const component = { kind: 'HEAD', chainId: 1, provider: null, subject: 'a' } as const
  expect(observationId(component)).toBe('HEAD:1:a')
  expect(observationId({ ...component, chainId: null, provider: 'lifi', subject: null })).toBe('HEAD:lifi')
})
