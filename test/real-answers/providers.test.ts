import { afterEach, expect } from 'bun:test'
import { lifi } from '../../src/adapters/aggregators/lifi'
import { relay } from '../../src/adapters/aggregators/relay'
import type { ChainId } from '../../src/domain/chain/chain'
import type { Address, Hash } from '../../src/domain/chain/hex'
import { defaultPolicy, type Offer } from '../../src/domain/execution/route'
import type { RouteRequest } from '../../src/ports/gate'
import { relayRules } from '../../src/signer/relay-deposit'
import { lifiBridges, lifiRules, routeObjection } from '../../src/signer/route-rules'
import { answering, samplesIn } from '../support/real-answers'
import { testAll } from '../support/test-all'

type Recorded = {
  asked: 'quote' | 'outcome'
  httpStatus: number
  /** The target chain of the outcome's transfer, if it is not ours. */
  toChainId?: ChainId
  body: never
  /** Approximate time of a recorded route, in seconds since 1970. Its deadlines were valid then. */
  recordedAt?: number
  /** A ROUTE, NO ROUTE, the outcome, or the code of the failure. */
  reads: string
}
type Asset = { address: Address; chainId: ChainId }
type LifiBody = { action: Record<'fromToken' | 'toToken', Asset> & Record<string, string> }
type RelayBody = {
  details: Record<'currencyIn' | 'currencyOut', { currency: Asset; amount: string }> & Record<string, Address>
}
type Question = Omit<RouteRequest, 'policy'>

/** For responses that do not show their request. */
const anything: Question = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: `0x${'1'.repeat(40)}`,
  toToken: `0x${'2'.repeat(40)}`,
  account: `0x${'3'.repeat(40)}`,
  recipient: `0x${'4'.repeat(40)}`,
  amountIn: 1_000_000n,
}
const digits = (text: string | undefined): bigint => (/^\d+$/.test(text ?? '') ? BigInt(text!) : 1n)

const providers = {
  lifi: {
    made: (url: string) => lifi({ url, apiKey: null, bridges: lifiBridges }),
    rules: lifiRules(),
    asked: ({ action }: LifiBody): Question => ({
      fromChainId: action.fromToken.chainId,
      toChainId: action.toToken.chainId,
      fromToken: action.fromToken.address,
      toToken: action.toToken.address,
      account: action['fromAddress'] as Address,
      recipient: action['toAddress'] as Address,
      amountIn: digits(action['fromAmount']),
    }),
    isQuote: (body: object) => 'action' in body,
  },
  relay: {
    made: (url: string) => relay({ url, apiKey: null }),
    rules: relayRules(),
    asked: ({ details }: RelayBody): Question => ({
      fromChainId: details.currencyIn.currency.chainId,
      toChainId: details.currencyOut.currency.chainId,
      fromToken: details.currencyIn.currency.address,
      toToken: details.currencyOut.currency.address,
      account: details['sender']!,
      recipient: details['recipient']!,
      amountIn: digits(details.currencyIn.amount),
    }),
    isQuote: (body: object) => 'details' in body,
  },
} as const
type Name = keyof typeof providers

const samples = (
  await Promise.all(
    (Object.keys(providers) as Name[]).map(async (provider) =>
      (await samplesIn<Recorded>(provider)).map(([name, sample]) => [name, provider, sample] as const),
    ),
  )
).flat()

const hash: Hash = `0x${'a'.repeat(64)}`
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

testAll(samples)(
  'every recorded response of a provider gets its recorded judgement, and its call meets exactly the request',
  async (_name, provider, sample) => {
    const { made, rules, asked, isQuote } = providers[provider]
    const server = answering(sample)
    stops.push(server.stop)
    const aggregator = made(server.url)
    const soon = AbortSignal.timeout(60_000)
    const codeOf = (error: { code?: string }) => error.code ?? String(error)

    if (sample.asked === 'outcome') {
      const transfer = { hash, reference: hash, fromChainId: 8453, toChainId: sample.toChainId ?? 42161 } as const
      const outcome = await aggregator.outcome(transfer, soon).catch(codeOf)
      expect(typeof outcome === 'string' ? outcome : outcome.kind).toBe(sample.reads)
      return
    }
    const question = isQuote(sample.body) ? asked(sample.body) : anything
    const request = { ...question, policy: { ...defaultPolicy } }
    const route: Offer | string | null = await aggregator.quote(request, soon).catch(codeOf)
    expect(route === null ? 'NO ROUTE' : typeof route === 'string' ? route : 'A ROUTE').toBe(sample.reads)
    if (route === null || typeof route === 'string') return

    // The signer's reader finds in the calldata exactly what was requested.
    const objection = routeObjection(rules, { now: () => sample.recordedAt! * 1000 })
    expect(objection(route, request)).toBeNull()
    const stranger: Address = `0x${'5'.repeat(40)}`
    for (const other of [
      { recipient: stranger },
      { toChainId: request.toChainId === 137 ? 8453 : 137 },
      { fromToken: stranger },
      { amountIn: request.amountIn - 1n },
    ] as Partial<RouteRequest>[])
      expect(
        objection({ ...route, amountIn: String(other.amountIn ?? route.amountIn) }, { ...request, ...other }),
      ).not.toBeNull()
    const more = { ...route, amountOutMin: String(BigInt(route.amountOutMin) + 1n) }
    expect(objection(more, request)).not.toBeNull()
  },
)
