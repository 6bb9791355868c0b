import { expect, test } from 'bun:test'
import { withCircleStatus } from '../../../src/adapters/aggregators/circle-status'
import { chains } from '../../../src/domain/chain/chain'
import type { Address } from '../../../src/domain/chain/hex'
import { RoutingError } from '../../../src/domain/error'
import { defaultPolicy, type Route } from '../../../src/domain/execution/route'
import { ProviderStandsStill, RouteRefused, TemporarilyUnavailable } from '../../../src/domain/unavailable'
import type { Chains, CircleStatus } from '../../../src/ports/chain-client'
import type { RouteRequest } from '../../../src/ports/gate'
import { usdcOf } from '../../../src/protocols/lifi/diamond'
import type { Aggregator } from '../../../src/providers/aggregator'
import { addressOf } from '../../support/deposits'
import { testAll } from '../../support/test-all'

const [from, to] = [chains.base.id, chains.arbitrum.id]
const request: RouteRequest = {
  fromChainId: from,
  fromToken: usdcOf(from),
  amountIn: 25_000_000n,
  toChainId: to,
  toToken: usdcOf(to),
  account: addressOf(0xacc),
  recipient: addressOf(0xbe),
  policy: defaultPolicy,
}
const open: CircleStatus = { isPaused: false, isBlacklisted: false, isDenylisted: false, burnLimitRaw: 10n ** 13n }
const offered = { provider: 'cctp' } as Route

type Said = Partial<CircleStatus> | null | Error
/** CCTP over two chains on which Circle's contracts return these values. */
function circle({ here = {}, there = {}, second }: { here?: Said; there?: Said; second?: Said } = {}) {
  const asked: string[] = []
  const chain = (name: string, said: Said) => ({
    circleStatus: async (account: Address) => {
      asked.push(`${name} of ${account}`)
      if (said instanceof Error) throw said
      return said && { ...open, ...said }
    },
  })
  const cctp = { name: 'cctp', quote: async () => asked.push('quote') && offered } as unknown as Aggregator
  const agreed = second === undefined ? null : chain('two there', second)
  const on = { [from]: chain('here', here), [to]: { ...chain('there', there), second: agreed } } as unknown as Chains
  return { asked, provider: withCircleStatus(cctp, on) }
}
const signal = new AbortController().signal

test('the offer is passed on if Circle’s contracts would burn and mint, for the account and the recipient', async () => {
  const { asked, provider } = circle()
  expect(await provider.quote(request, signal)).toBe(offered)
  expect(asked).toEqual([`here of ${request.account}`, `there of ${request.recipient}`, 'quote'])
  expect(await provider.assureCarried!(request)).toBeUndefined()
})

testAll<[string, Parameters<typeof circle>[0], RegExp]>([
  ['USDC refuses the recipient', { there: { isBlacklisted: true } }, /refuses the recipient/],
  ['USDC refuses the account', { here: { isBlacklisted: true } }, /deposit account/],
  ['CCTP refuses the account', { here: { isDenylisted: true } }, /deposit account/],
  ['more than one call may burn', { here: { burnLimitRaw: request.amountIn - 1n } }, /more than Circle burns/],
  ['a refused recipient during a pause', { there: { isBlacklisted: true, isPaused: true } }, /the recipient/],
])('there is no route if the mint would fail, and Circle is not queried', async (_what, said, why) => {
  const { asked, provider } = circle(said)
  for (const failing of [provider.quote(request, signal), provider.assureCarried!(request)]) {
    const error = await failing.catch((failure) => failure)
    expect(error).toBeInstanceOf(RouteRefused)
    expect([error.code, error.why]).toEqual(['NO_ROUTE', expect.stringMatching(why)])
  }
  expect(asked).not.toContain('quote')
})

test('one node’s refusal of a recipient ends a deposit only if a second node agrees', async () => {
  const there = { isBlacklisted: true }
  const differing: Said[] = [{}, { isPaused: true }, null, new RoutingError('RPC_FAILED')]
  for (const second of differing) {
    const { asked, provider } = circle({ there, second })
    for (const failing of [provider.quote(request, signal), provider.assureCarried!(request)]) {
      const error = await failing.catch((failure) => failure)
      expect(error).toBeInstanceOf(ProviderStandsStill)
      expect([error.waitingFor, error.why]).toEqual(['PROVIDER', expect.stringMatching(/differ|cannot be read/)])
    }
    expect(asked).not.toContain('quote')
  }
  const { provider } = circle({ there, second: there })
  expect(await provider.quote(request, signal).catch((failure) => failure)).toBeInstanceOf(RouteRefused)
})

test('a second node is queried only after one refuses', async () => {
  const { asked, provider } = circle({ second: { isBlacklisted: true } })
  expect(await provider.quote(request, signal)).toBe(offered)
  expect(asked.some((one) => one.startsWith('two'))).toBe(false)
})

testAll<[string, Parameters<typeof circle>[0], RegExp]>([
  ['paused on the source', { here: { isPaused: true } }, /paused .* on Base/],
  ['paused on the destination', { there: { isPaused: true } }, /paused .* on Arbitrum/],
  ['no answer of Circle’s contracts on the source', { here: null }, /do not answer/],
  ['no answer of Circle’s contracts on the destination', { there: null }, /do not answer/],
  ['a node that fails', { there: new RoutingError('RPC_TIMEOUT') }, /cannot be read/],
  ['a node that is left alone', { here: new TemporarilyUnavailable('Base', 5_000, 'NODE') }, /cannot be read/],
])('a deposit that needs a paused contract waits without a failure', async (_what, said, why) => {
  const { asked, provider } = circle(said)
  const error = await provider.quote(request, signal).catch((failure) => failure)
  expect(error).toBeInstanceOf(ProviderStandsStill)
  expect([error.waitingFor, error.why]).toEqual(['PROVIDER', expect.stringMatching(why)])
  expect(asked).not.toContain('quote')
})

test('a denylist entry or burn limit on the destination does not matter', async () => {
  const { provider } = circle({ there: { isDenylisted: true, burnLimitRaw: 0n } })
  expect(await provider.quote(request, signal)).toBe(offered)
})

test('no chain is queried for a token other than Circle’s USDC', async () => {
  const { asked, provider } = circle({ here: null, there: null })
  expect(await provider.quote({ ...request, toToken: addressOf(0x71) }, signal)).toBe(offered)
  expect(asked).toEqual(['quote'])
})
