import { afterAll, expect } from 'bun:test'
import { memoryRecords } from '../../src/adapters/memory-records'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { routingProviders } from '../../src/app/routing-providers'
import { chainIds } from '../../src/domain/chain/chain'
import { type ProviderKey, providerKeys } from '../../src/domain/execution/provider'
import { defaultPolicy } from '../../src/domain/execution/route'
import { TokenList } from '../../src/domain/money/token'
import { TemporarilyUnavailable } from '../../src/domain/unavailable'
import { depositForBurn, domainOf, finality, wordOf } from '../../src/protocols/cctp/burn'
import { usdcOf } from '../../src/protocols/lifi/diamond'
import { relaySolver } from '../../src/protocols/relay/relay-order'
import { bestQuote } from '../../src/routing/pricing/quotes'
import { believing } from '../support/appraisers'
import { addressOf, hashOf } from '../support/deposits'
import { testAll } from '../support/test-all'

const answer = { status: 401 }
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => Response.json({ message: 'No' }, { status: answer.status }),
})
afterAll(() => server.stop(true))

const tokens = new TokenList(
  chainIds.map((chainId) => ({ chainId, address: usdcOf(chainId), symbol: 'USDC', name: 'USD Coin', decimals: 6 })),
)
const circle = { isPaused: false, isBlacklisted: false, isDenylisted: false, burnLimitRaw: 10n ** 12n }
const [recipient, account] = [addressOf(2), addressOf(1)]
const request = {
  fromChainId: 8453,
  fromToken: usdcOf(8453),
  amountIn: 1_000_000n,
  toChainId: 42161,
  toToken: usdcOf(42161),
  ...{ account, recipient, policy: defaultPolicy },
  requester: { id: 'a', organizationId: 'org_1', purpose: 'DEPOSIT', waitingSince: null },
} as const
const sent = {
  hash: hashOf(1),
  fromChainId: 8453,
  toChainId: 42161,
  ...{ reference: hashOf(2), account, isAlone: true },
  call: depositForBurn({
    amount: 1n,
    destinationDomain: domainOf(42161),
    mintRecipient: wordOf(recipient),
    burnToken: usdcOf(8453),
    destinationCaller: wordOf(addressOf(0)),
    maxFee: 0n,
    minFinalityThreshold: finality.fast,
  }),
} as const

/** No request here waits for anything but this process. */
const patientMs = 600_000

/** The product's gates of one provider, whose server refuses our key. */
function world(only: ProviderKey | null) {
  const url = server.url.origin
  const told: unknown[] = []
  const urlOf = (key: ProviderKey) => (key === only ? url : null)
  const { providers, relayPrices } = routingProviders(
    {
      config: {
        port: 1,
        lifiUrl: urlOf('lifi'),
        relayUrl: urlOf('relay'),
        cctpUrl: urlOf('cctp'),
        relayPricesUrl: url,
        relaySolver,
        quoteTimeoutMs: patientMs,
        requestsPerMinute: Object.fromEntries(providerKeys.map((key) => [key, null])) as Record<ProviderKey, null>,
      },
      secrets: { lifiApiKey: 'k', relayApiKey: 'k' },
    },
    {
      bridges: ['across'],
      rules: [],
      store: { providerBudgets: memoryRecords(), providerGates: memoryRecords() },
      tokens,
      onGateChange: ({ shut }) => void told.push(shut?.reason),
      chains: new Proxy({}, { get: () => ({ circleStatus: async () => circle, second: null }) }) as never,
      telemetry: noTelemetry,
      now: () => 1_000_000,
    },
  )
  return { provider: providers[0]!, relayPrices, told }
}
const signal = () => AbortSignal.timeout(patientMs)
const quoting = {
  prices: { usd: async () => 1n },
  appraiser: believing,
  quoteTimeoutMs: patientMs,
  now: () => 1_000_000,
}

testAll([401, 403])(
  'a deposit waits for a provider that refuses our key, whatever the request, and one line reports the refusal',
  async (status) => {
    answer.status = status
    const seen: Record<string, unknown> = {}
    const met = async (what: string, told: unknown[], asked: Promise<unknown>) => {
      const error = await asked.then(
        () => 'answered',
        (failure) => failure,
      )
      seen[what] = [error instanceof TemporarilyUnavailable ? error.waitingFor : error, String(told)]
    }
    for (const key of providerKeys) {
      for (const door of ['quote', 'outcome', 'price'] as const) {
        if (key === 'cctp' && door === 'price') continue // Circle has no prices
        const { provider, told } = world(key)
        const ask = {
          quote: () => bestQuote(request, { ...quoting, aggregators: [provider], purpose: 'DEPOSIT' }),
          outcome: () => provider.outcome(sent, signal()),
          price: () => provider.priceUsd(8453, request.fromToken, signal()),
        }[door]
        await met(`${key} ${door}`, told, ask())
        await met(`${key} ${door} again`, told, ask())
      }
    }
    const { relayPrices, told } = world(null)
    await met('relay prices', told, relayPrices.priceUsd(8453, request.fromToken, signal()))
    const waits = Object.keys(seen).map((what) => [what, ['PROVIDER', 'LOCKED_OUT']])
    expect(seen).toEqual(Object.fromEntries(waits))
    expect(waits).toHaveLength(2 * 8 + 1)
  },
)
