import { expect, test } from 'bun:test'
import { createElement } from 'react'
import { SimulateForm } from '../../src/dashboard/pages/intents/simulate-form'
import { atomicOf } from '../../src/dashboard/pages/intents/simulated'
import { pageMarkup } from '../support/page-markup'
import { testAll } from '../support/test-all'

testAll<[text: string, atomic: string | null]>([
  ['12.5', '12500000'],
  ['1,5', '1500000'],
  [' 1500 ', '1500000000'],
  ['1,500', null],
  ['1.0000001', null],
  ['0', null],
  ['1e3', null],
])(
  'a simulated amount is read as on the hosted page: a comma is a decimal sign, and nothing is guessed',
  (text, atomic) => {
    expect(atomicOf(text, 6)).toBe(atomic)
  },
)

test('the form begins with a user, a chain and a token, so one click simulates', () => {
  const token = (tokenSymbol: string, chainKey: string, chainId: number) => ({
    ...{ tokenSymbol, chainKey, chainId, decimals: 6 },
    tokenAddress: `${tokenSymbol} on ${chainKey}`,
  })
  const markup = (tokens: object[], firstUser: string | undefined): string =>
    pageMarkup(
      createElement(SimulateForm, { tokens: tokens as never, firstUser, isPending: false, onSimulate() {} }),
      {},
    )
  const button = /<button[^>]*type="submit"[^>]*>/
  const filled = markup([token('WETH', 'base', 8453), token('USDC', 'base', 8453)], 'shown-1')
  for (const value of ['shown-1', 'Base', 'USDC', '25']) expect(filled).toContain(`value="${value}"`)
  expect(button.exec(filled)![0]).not.toContain('data-disabled')
  expect(button.exec(markup([], undefined))![0]).toContain('data-disabled')
})
